"""LP203 head-missing: the class has an untied head and the file holds none."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import about
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.vocabulary import TIE, embedding, head, is_tied, rows_of, tie_evidence


def check(case: Case) -> Iterable[Found]:
    output, source = head(case), embedding(case)
    missing = rows_of(case, output, "missing")
    if not missing or output is None:
        return
    if is_tied(case) and rows_of(case, source, "missing"):
        yield _nothing_to_tie(case, [*missing, *rows_of(case, source, "missing")])
    elif rows_of(case, source, "missing"):
        return  # more than the head is lost, and no tie would bring it back
    elif source is None or source.shape == output.shape:
        yield _untied(case, missing, output.template)


def _untied(case: Case, rows: list[Row], name: str) -> Found:
    evidence = (Evidence(about("tensors"), f"{name} is not stored; the input embedding is"), *tie_evidence(case))
    fixes = (
        Fix(
            f"if the model was trained tied, set {TIE} to true at every level of the config; "
            "otherwise the head was never saved and must come from a complete copy",
            "manual",
        ),
    )
    headline = f"{name} is not stored and the config does not tie it to the embedding"
    return Found(
        severity="error", confidence="certain", headline=headline, evidence=evidence, rows=tuple(rows), fixes=fixes
    )


def _nothing_to_tie(case: Case, rows: list[Row]) -> Found:
    headline = "neither the head nor the embedding it is tied to is stored"
    fixes = (Fix("take the embedding from a complete copy of the checkpoint; it is nowhere in this one", "manual"),)
    evidence = tuple(tie_evidence(case))
    return Found(
        severity="error", confidence="certain", headline=headline, evidence=evidence, rows=tuple(rows), fixes=fixes
    )


RULE = Rule(
    code="LP203",
    slug="head-missing",
    group="vocabulary",
    title="The output head is not stored",
    check=check,
)
