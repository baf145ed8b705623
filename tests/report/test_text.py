"""The report for people, word for word."""

from __future__ import annotations

import re

from msgspec.structs import replace

from loadproof.core.checkpoint import Inventory
from loadproof.core.coverage import Skip
from loadproof.core.edits import Fix
from loadproof.core.expectation import Expectation
from loadproof.core.findings import Evidence, Finding, Note
from loadproof.core.outcome import Row
from loadproof.core.places import Place, about
from loadproof.report import render_text
from tests.report.build import FILES, PLAN_FINDING, ROWS, report

ONE_FAULT = """\
error[LP301] layer-plan-mismatch: config.json says linear attention where the checkpoint holds full attention
  --> config.json:37                    text_config.layer_types[20] = "linear_attention"
  --> model-00005-of-00012.safetensors  model.language_model.layers.20.self_attn.{q,k,v,o}_proj.weight (4 tensors)
   = layers   config  LLLFLLLFLLLFLLLFLLLFLLLF        (L linear, F full; 1 of 24 differs)
              tensors LLLFLLLFLLLFLLLFLLLFFLLF
   = source   modeling_qwen3_next.py:873   layer_types[layer_idx] chooses the mixer
   = explains 11 of 11 rows (7 missing, 4 unexpected); confidence certain
   = outcome  transformers 5.24.0 loads Qwen3NextForCausalLM without an exception, but 7 parameters stay random
   = fix      lossless: set layer_types[20] to "full_attention"      loadproof fix checkpoint LP301

verdict  loads-wrong: 7 of 491 parameters stay random, 4 stored tensors unused
checked  291 tensors in 12 files (123.5 MB) against Qwen3NextForCausalLM of transformers 5.24.0
"""


def test_one_fault_fits_the_first_screen() -> None:
    text = render_text(report(PLAN_FINDING))
    assert text == ONE_FAULT
    assert text.count("\n") <= 20


def test_verbose_adds_every_row() -> None:
    lines = render_text(report(PLAN_FINDING), verbose=True).splitlines()
    rows = [line for line in lines if line.startswith(("      missing", "      unexpected"))]
    assert len(rows) == len(ROWS)
    assert "      missing    model.language_model.layers.20.linear_attn.A_log  [8, 8]" in lines


def test_quiet_leaves_the_verdict() -> None:
    assert render_text(report(PLAN_FINDING), quiet=True).splitlines() == [ONE_FAULT.splitlines()[-2]]


def test_a_healthy_checkpoint_gets_two_lines() -> None:
    assert render_text(report(verdict="loads")) == (
        "verdict  loads: every parameter of Qwen3NextForCausalLM gets its tensor\n"
        + ONE_FAULT.splitlines(keepends=True)[-1]
    )


def test_a_failure_quotes_the_exception() -> None:
    expectation = Expectation("transformers", "5.24.0", "X", "x", "installed", raises="KeyError: 'metadata'")
    text = render_text(report(verdict="fails", expectation=expectation))
    assert "verdict  fails: KeyError: 'metadata'\n" in text
    explained = render_text(report(replace(PLAN_FINDING, rows=()), verdict="fails", expectation=expectation))
    assert "   = outcome  transformers 5.24.0 raises KeyError: 'metadata'\n" in explained


def test_skips_of_one_reason_are_one_line() -> None:
    absent = tuple(Skip(f"model-0000{number}-of-00003.safetensors", "not here") for number in (1, 2, 3))
    other = (Skip("a", "too big"), Skip("b", "too big"))
    text = render_text(report(skipped=(*absent, *other)))
    assert "skipped  3 files (model-00001-of-00003.safetensors to model-00003-of-00003.safetensors): not here\n" in text
    assert "skipped  a and b: too big\n" in text
    verbose = render_text(report(skipped=(*absent, *other)), verbose=True)
    assert verbose.count("not here\n") == 3


def test_inconclusive_says_why_what_was_skipped_and_what_helps() -> None:
    expectation = Expectation(
        "transformers", "", "", "", "none", inconclusive="no source", hint="pip install transformers"
    )
    text = render_text(report(verdict="inconclusive", expectation=expectation, skipped=(Skip("shapes", "no source"),)))
    assert "verdict  inconclusive: no source\n" in text
    assert "skipped  shapes: no source\n" in text
    assert "hint     pip install transformers\n" in text


def test_unexplained_rows_are_listed_and_long_lists_say_how_many_more() -> None:
    rows = tuple(Row("missing", f"a{n}.weight", ()) for n in range(9))
    text = render_text(report(unexplained=rows))
    assert "unexplained: 9 missing; no known cause fits\n" in text
    assert "  --> missing    a0.weight\n" in text
    assert "... and 3 more names (-v shows all)" in text
    assert "a8.weight" in render_text(report(unexplained=rows), verbose=True)


def test_many_findings_and_much_evidence_are_cut_and_counted() -> None:
    evidence = tuple(Evidence(Place(f"file{n}"), "x") for n in range(9))
    findings = [replace(PLAN_FINDING, evidence=evidence)] * 10
    text = render_text(report(*findings))
    assert "... and 4 more places (-v shows all)" in text
    assert "... and 2 more findings (-v shows all)" in text


def test_notes_print_under_their_own_label() -> None:
    finding = replace(
        PLAN_FINDING,
        notes=(
            Note("reader", "KeyError: 'x'"),
            Note("outcome", "said elsewhere"),
            Note("note", "a sentence: with a colon"),
        ),
    )
    text = render_text(report(finding))
    assert "   = reader   KeyError: 'x'\n" in text
    assert text.count("   = outcome  ") == 1
    assert "   = outcome  said elsewhere\n" in text
    assert "   = note     a sentence: with a colon\n" in text


def test_a_manual_fix_offers_no_command_and_a_lossy_one_says_the_loss() -> None:
    fixes = (Fix("ask the author", "manual"), Fix("drop the bias", "lossy", PLAN_FINDING.fixes[0].edits, "the bias"))
    text = render_text(report(replace(PLAN_FINDING, fixes=fixes)))
    assert "   = fix      manual: ask the author\n" in text
    assert "   = fix      lossy: drop the bias (loses the bias)      loadproof fix checkpoint LP301 --unsafe\n" in text


def test_the_fix_command_quotes_the_path_for_the_shell() -> None:
    inventory = Inventory("my model; rm x", FILES)
    assert "loadproof fix 'my model; rm x' LP301" in render_text(report(PLAN_FINDING, inventory=inventory))


def test_colour_adds_only_escape_sequences() -> None:
    colored = render_text(report(PLAN_FINDING), color=True)
    assert "\x1b[1;31merror[LP301]\x1b[0m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == ONE_FAULT


def test_long_lines_are_folded_under_their_own_text_on_a_narrow_terminal() -> None:
    narrow = render_text(report(PLAN_FINDING), width=80)
    assert all(len(line) <= 80 for line in narrow.splitlines())
    assert " ".join(narrow.split()) == " ".join(ONE_FAULT.split())
    assert "   = explains 11 of 11 rows (7 missing, 4 unexpected); confidence certain\n" in narrow
    outcome = narrow[narrow.index("   = outcome") :].splitlines()
    assert outcome[1].startswith(" " * 14)
    assert outcome[1][14] != " "


def test_a_word_longer_than_the_line_stays_whole() -> None:
    name = "a" * 150
    finding = replace(PLAN_FINDING, evidence=(Evidence(Place("config.json", 3), f"{name} is wrong"),))
    assert name in render_text(report(finding), width=80)


HOSTILE = "a\x1b[2J\x07\u202eb\u200b\u2028c\ud800\x85::x"


def test_nothing_from_a_file_reaches_the_terminal_unescaped() -> None:
    finding = Finding(
        "LP011",
        "hostile-name",
        "error",
        "likely",
        HOSTILE,
        (
            Evidence(Place(HOSTILE), HOSTILE),
            Evidence(Place(HOSTILE, 3, HOSTILE), HOSTILE, "source"),
            Evidence(about(HOSTILE), HOSTILE, "layers"),
        ),
        (Row("missing", HOSTILE, ()),),
        1,
        (Fix(HOSTILE, "lossy", PLAN_FINDING.fixes[0].edits, HOSTILE),),
        (Note(HOSTILE, HOSTILE), Note("note", HOSTILE)),
    )
    hostile = report(
        finding,
        unexplained=(Row("missing", HOSTILE, (), text=HOSTILE),),
        skipped=(Skip(HOSTILE, HOSTILE),),
        inventory=Inventory(HOSTILE, ()),
        expectation=Expectation(
            "transformers", HOSTILE, HOSTILE, HOSTILE, "installed", (), inconclusive=HOSTILE, hint=HOSTILE
        ),
    )
    for verdict in ("loads", "loads-wrong", "fails", "inconclusive"):
        text = render_text(replace(hostile, verdict=verdict), verbose=True)
        assert all(line.isprintable() for line in text.split("\n"))
        assert not any(line.lstrip().startswith("::") for line in text.split("\n"))
        assert "\\x1b[2J" in text
        assert "\\u202e" in text
