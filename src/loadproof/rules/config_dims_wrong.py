"""LP502 config-dims-wrong: one field of the config explains all wrong shapes."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loadproof.config.lines import where
from loadproof.config.values import dotted
from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.dimensions import Candidate, affects_all, candidates, from_shapes, probed, shrinking
from loadproof.rules.plans import config_file
from loadproof.rules.rows import count_rows, of_kind
from loadproof.rules.whatif_config import explained_by_config, outcome_if
from loadproof.rules.wording import row_evidence
from loadproof.types import Case, Confidence, Evidence, Finding, Fix, Row, SetJson

TRIED = 4  # readings of the model's source, a fraction of a second each


def check(case: Case) -> Iterable[Finding]:
    rows = of_kind(case.outcome.rows, "mismatched")
    if case.expectation.raises is not None:
        yield from _refused(case)
    elif rows and affects_all(case, rows):
        proven = _proven(case, candidates(case, rows)[:TRIED], rows)
        proven = proven or _proven(case, shrinking(case, rows)[:TRIED], rows)
        proven = proven or _proven(case, probed(case, rows), rows)
        if proven:
            yield _finding(case, proven, rows)


def _proven(case: Case, guesses: Iterable[Candidate], rows: list[Row]) -> list[tuple[Candidate, list[Row]]]:
    return [(guess, gone) for guess in guesses if (gone := _proof(case, guess, rows))]


def _refused(case: Case) -> Iterable[Finding]:
    """The class cannot even be built with this size; the stored shapes give one with which everything fits."""
    for guess in from_shapes(case):
        outcome = outcome_if(case, (_edit(case, guess),))
        if outcome is not None and not outcome.rows:
            finding = _finding(case, [(guess, [])], [])
            yield replace(finding, notes=(f"outcome: {case.expectation.raises}",))
            return


def _proof(case: Case, candidate: Candidate, rows: list[Row]) -> list[Row]:
    """The rows that vanish when the field is set, if that is all of these and nothing new appears."""
    found = explained_by_config(case, (_edit(case, candidate),))
    if found is None or found[1] or count_rows(found[0], "mismatched") < count_rows(rows):
        return []
    return found[0]


def _edit(case: Case, candidate: Candidate) -> SetJson:
    return SetJson(config_file(case), candidate.path, candidate.new)


def _finding(case: Case, proven: list[tuple[Candidate, list[Row]]], rows: list[Row]) -> Finding:
    best, gone = proven[0]
    name = dotted(best.path)
    place = where(case.config, best.path)
    stated = place != config_file(case)
    says = f"config.json says {best.old}" if stated else f"config.json does not state it (the class takes {best.old})"
    headline = f"the tensors were written with {name} = {best.new}, {says}"
    evidence = (
        Evidence(place, f"{name} = {best.old}" if stated else f"{name} is not stated"),
        *row_evidence(rows, 3),
        *_rivals(proven),
    )
    if len(proven) > 1:
        headline = f"one field of config.json is wrong: {name} = {best.new} would fit, it says {best.old}"
        fix = Fix(f"set {name} to {best.new} or one of the others; the shapes alone do not decide", "manual")
        return _made("likely", headline, evidence, gone, fix)
    return _made(
        "certain", headline, evidence, gone, Fix(f"set {name} to {best.new}", "lossless", (_edit(case, best),))
    )


def _made(confidence: Confidence, headline: str, evidence: tuple[Evidence, ...], gone: list[Row], fix: Fix) -> Finding:
    return Finding("LP502", "config-dims-wrong", "error", confidence, headline, evidence, tuple(gone), fixes=(fix,))


def _rivals(proven: list[tuple[Candidate, list[Row]]]) -> tuple[Evidence, ...]:
    others = [f"{dotted(c.path)} = {c.new}" for c, _ in proven[1:]]
    return (Evidence("", f"the shapes also fit {' or '.join(others)}", "note"),) if others else ()


DOCS = RuleDocs(
    finds=(
        "Wrong shapes that all vanish when a single field of the config gets another value: the number of "
        "key/value heads, "
        "the width of the MLP, the size of a head, the hidden size, ..."
    ),
    why=(
        "The config comes from another size or version of the family, was edited, or a converter left out a field"
        " whose "
        "default does not fit (grouped-query attention, an explicit head size)."
    ),
    errors=(
        "transformers: RuntimeError: You set `ignore_mismatched_sizes` to `False`, thus raising an error",
        "llama.cpp: tensor 'blk.0.attn_k.weight' has wrong shape; expected 4096, 4096, got 4096, 1024",
    ),
    example="`k_proj` and `v_proj` `[1024, 4096]`, `num_key_value_heads` 32: they were written with 8.",
    fix=(
        "Config only. The value is solved from the shapes and then proven: the model's source is read again with "
        "it, and no "
        "wrong shape may be left and no new one appear. If several fields would do, none is written."
    ),
    harmless="Never.",
)
RULE = Rule("LP502", "config-dims-wrong", "One field of the config explains all wrong shapes", check, DOCS)
