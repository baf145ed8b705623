"""Formats of other programs: what they demand holds on 200 reports of every verdict, whatever names stand in them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from msgspec.structs import replace

import loadproof
from loadproof.api.pages import page
from loadproof.core.case import Report
from loadproof.core.outcome import Row
from loadproof.core.results import Checked, Checks
from loadproof.report.as_json import line
from loadproof.report.issues import issues_of
from loadproof.report.markdown import MOST
from loadproof.report.registry import formats, render
from tests.cli.process import EXAMPLES
from tests.report.build import PLAN_FINDING, report
from tests.report.hostile import VERDICTS, many, reports
from tests.report.official import assert_code_quality, assert_junit, sarif
from tests.report.schemas import closed

STATUS = {"loads": 0, "loads-wrong": 1, "fails": 1, "inconclusive": 3}
HOSTILE = tuple(reports(200))
MANY = many(40)
PRINTED = ("text", "concise", "markdown", "github", "junit", "json", "sarif", "gitlab")


def shown(result: Report | Checks, form: str) -> str:
    status = result.status if isinstance(result, Checks) else STATUS[result.verdict]
    pages = {"LP301": page("LP301")}
    return render(result, form, status=status, pages=pages)


def test_the_reports_are_of_every_verdict() -> None:
    assert {one.verdict for one in HOSTILE} == set(VERDICTS)
    assert len(HOSTILE) == 200


def test_sarif_is_valid_by_the_official_schema() -> None:
    for result in (*HOSTILE, MANY):
        log = json.loads(shown(result, "sarif"))
        sarif().validate(log)
        run = log["runs"][0]
        for found in run["results"]:
            assert run["tool"]["driver"]["rules"][found["ruleIndex"]]["id"] == found["ruleId"]
            uri = found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            assert re.fullmatch(r"(?:file://)?[A-Za-z0-9\-._~/%]*", uri)


def test_the_official_schema_refuses_what_is_no_sarif() -> None:
    log = json.loads(shown(HOSTILE[1], "sarif"))
    assert not sarif().is_valid(log | {"version": "2.0.0"})
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not sarif().is_valid(log)


def test_code_quality_has_the_fields_of_gitlab_and_fingerprints_of_their_own() -> None:
    for result in (*HOSTILE, MANY):
        assert_code_quality(shown(result, "gitlab"))
    several = Checks((Checked("a", report(PLAN_FINDING), status=1), Checked("b", report(PLAN_FINDING), status=1)))
    entries = assert_code_quality(shown(several, "gitlab"))
    assert len({entry["fingerprint"] for entry in entries}) == len(entries) == 2


def test_junit_is_well_formed_and_counts_what_it_holds() -> None:
    for result in (*HOSTILE, MANY):
        assert_junit(shown(result, "junit"))


@pytest.mark.parametrize(("verdict", "element"), [("fails", "failure"), ("inconclusive", "skipped"), ("loads", None)])
def test_the_verdict_is_a_case_of_its_own(verdict: str, element: str | None) -> None:
    root = assert_junit(shown(report(verdict=verdict), "junit"))
    case = next(root.iter("testcase"))
    assert case.attrib["name"] == "verdict"
    assert [child.tag for child in case if child.tag != "system-out"] == ([element] if element else [])


def test_json_stays_valid_by_its_own_schema() -> None:
    for one in HOSTILE:
        closed("report").validate(json.loads(shown(one, "json")))
    for text in shown(MANY, "json").splitlines():
        document = json.loads(text)
        assert "error" in document or closed("report").is_valid(document)


@pytest.mark.parametrize("form", PRINTED)
def test_no_line_of_any_format_is_obeyed_by_a_terminal_or_a_runner(form: str) -> None:
    for result in (*HOSTILE, MANY):
        text = shown(result, form)
        assert text.replace("\n", "").isprintable()
        for shown_line in text.split("\n"):
            assert "##[" not in shown_line
            assert "##vso[" not in shown_line
            assert form == "github" or not shown_line.lstrip().startswith("::")


def test_json_text_keeps_what_a_runner_would_obey() -> None:
    assert json.loads(line({"x": "##[error] ### ##"})) == {"x": "##[error] ### ##"}


def test_annotations_are_one_command_a_fault_and_nothing_else_is_one() -> None:
    command = re.compile(r"::(error|warning|notice) (?:(?:file|line|title)=[^,:]*,?)+::.*")
    for result in (*HOSTILE, MANY):
        targets = result.targets if isinstance(result, Checks) else (Checked(result.case.inventory.location, result),)
        lines = shown(result, "github").splitlines()
        commands = [one for one in lines if one.lstrip().startswith("::")]
        assert len(commands) == sum(len(issues_of(target)) for target in targets)
        assert all(command.fullmatch(one) for one in commands)


def parsed(text: str) -> tuple[list[str], str]:
    """The kinds of all tokens, ours of the folded sections left out; and what stands there as plain words."""
    kinds, words = [], []
    reader = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
    for token in reader.parse(text):
        for inner in [token, *(token.children or ())]:
            ours = re.fullmatch(r"(<details><summary><code>[^<>]*</code></summary>|</details>)\n*", inner.content)
            kinds.append("folded" if ours else inner.type)
            words += [inner.content] if inner.type == "text" else []
    return kinds, "\n".join(words)


def test_markdown_holds_no_html_link_image_mention_or_row_that_is_not_ours() -> None:
    for result in (*HOSTILE, MANY):
        kinds, words = parsed(shown(result, "markdown"))
        assert not {"html_inline", "html_block", "link_open", "image"} & set(kinds)
        assert kinds.count("heading_open") == 1
        assert kinds.count("td_open") == 3 * (len(result.targets) if isinstance(result, Checks) else 1)
        assert not re.search(r"@\w|://|www\.|</?\w", words)


def test_markdown_of_many_fits_a_comment() -> None:
    several = Checks(tuple(Checked(f"{n}", one, status=1) for n, one in enumerate(HOSTILE)))
    text = shown(several, "markdown")
    assert len(text) < MOST + 200
    assert "left out: the text would be too long" in text


@pytest.mark.parametrize("form", ["sarif", "gitlab", "junit", "markdown", "github"])
def test_what_is_wrong_is_never_silent(form: str) -> None:
    for verdict in ("fails", "loads-wrong", "inconclusive"):
        assert verdict in shown(report(verdict=verdict), form)
    assert "nowhere" in shown(Checks((Checked("x", error="nowhere: no such file", status=2),)), form)


@pytest.mark.parametrize("form", ["sarif", "gitlab", "junit", "markdown", "github"])
def test_a_name_without_a_known_cause_is_named(form: str) -> None:
    rows = (Row("missing", "model.norm.weight", ()), Row("missing", "lm_head.weight", ()))
    assert "model.norm.weight" in shown(report(unexplained=rows), form)


def test_a_checkpoint_in_order_has_no_issue() -> None:
    healthy = report(verdict="loads")
    assert json.loads(shown(healthy, "gitlab")) == []
    assert json.loads(shown(healthy, "sarif"))["runs"][0]["results"] == []
    assert "::" not in shown(healthy, "github")


def test_places_are_files_below_the_working_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    found = loadproof.check(EXAMPLES / "layer-plan-mismatch")
    location = json.loads(shown(found, "sarif"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": "layer-plan-mismatch/config.json", "uriBaseId": "SRCROOT"}
    text = Path("layer-plan-mismatch/config.json").read_text().splitlines()
    assert '"linear_attention"' in text[location["region"]["startLine"] - 1]
    monkeypatch.chdir(os.sep)
    monkeypatch.chdir("/usr")
    location = json.loads(shown(found, "sarif"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert unquote(location["artifactLocation"]["uri"]) == f"file://{EXAMPLES}/layer-plan-mismatch/config.json"


def test_places_are_seen_from_the_root_that_a_ci_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES)
    found = loadproof.check("layer-plan-mismatch")
    assert "file=layer-plan-mismatch/config.json," in shown(found, "github")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(EXAMPLES.parent))
    assert "file=examples/layer-plan-mismatch/config.json," in shown(found, "github")
    assert json.loads(shown(found, "gitlab"))[0]["location"]["path"] == "examples/layer-plan-mismatch/config.json"
    monkeypatch.setenv("GITHUB_WORKSPACE", "/somewhere/else")
    assert "file=layer-plan-mismatch/config.json," in shown(found, "github")


def test_a_message_of_sarif_is_no_template_and_no_link() -> None:
    finding = replace(PLAN_FINDING, headline="{0} [a](1) layers.{0-3}")
    text = json.loads(shown(report(finding), "sarif"))["runs"][0]["results"][0]["message"]["text"]
    assert text.startswith("{{0}} [a]\\(1) layers.{0-3}\n")


def test_every_kind_that_people_paste_has_markdown() -> None:
    for kind in ("check", "checks", "explain", "plan", "diff", "fix"):
        assert "markdown" in formats(kind)
    text = render(loadproof.plan(EXAMPLES / "layer-plan-mismatch"), "markdown")
    assert text.startswith("```text\nlayer ")
    assert text.endswith("\n```\n")


def test_a_cause_that_is_not_certain_says_so() -> None:
    for confidence, said in (("certain", False), ("likely", True), ("possible", True)):
        one = report(replace(PLAN_FINDING, confidence=confidence))
        for form in ("github", "sarif", "gitlab", "junit", "markdown"):
            assert (f"({confidence})" in shown(one, form)) is said, form


def test_the_causes_of_an_error_text_can_be_annotations() -> None:
    found = loadproof.explain(
        "KeyError: 'model.layers.20.linear_attn.in_proj_qkv.weight'", EXAMPLES / "layer-plan-mismatch"
    )
    assert "layer-plan-mismatch/config.json,line=34,title=LP301" in render(found, "github")
    log = json.loads(render(found, "sarif"))
    sarif().validate(log)
    assert log["runs"][0]["results"][0]["ruleId"] == "LP301"
    open_one = render(loadproof.explain("KeyError: 'zzz'"), "github")
    assert open_one.startswith("::warning file=text,title=inconclusive::")
