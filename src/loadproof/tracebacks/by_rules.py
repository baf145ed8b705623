"""The rules judge the names that an error text reports, as they judge those of a checkpoint; see `partial_case`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from loadproof.core.families import names_of
from loadproof.core.findings import Finding
from loadproof.core.severity import Confidence
from loadproof.core.symptom import Symptom
from loadproof.lexicon.feed_forward import IN_LAYER
from loadproof.rules.diagnose import run_rules
from loadproof.rules.registry import RANK, load
from loadproof.rules.rows import count_rows
from loadproof.tracebacks.knowledge import causes
from loadproof.tracebacks.partial import partial_case
from loadproof.tracebacks.votes import Vote

# Rules that need no more than names and sizes. Others ask for the config, the release or the files: a text has none.
_PLACES = frozenset(
    (
        "shapes/zero3-placeholders",
        "shapes/fsdp1-local-view",
        "shapes/rank-local-shard",
        "names/peft-dump",
        "names/wrong-class",
        "names/wrapper-prefix",
        "names/repeated-prefix",
        "names/nesting-prefix",
        "names/backbone-only",
        "vocabulary/head-flattened",
        "vocabulary/embedding-flattened",
        "vocabulary/head-transposed",
        "plan/layer-plan-mismatch",
        "plan/layer-plan-default",
        "plan/mtp-unannounced",
        "names/expert-layout",
        "shapes/transposed",
        "shapes/flattened",
    )
)
# What a headline says of the config, no text tells.
_UNTOLD = {
    "layer-plan": "the same layers lack one kind of mixer and hold another",
    "mtp-unannounced": "tensors of prediction heads (MTP) are among the reported names",
}
_PLAN = ("LP301", "LP305")
_FEED_FORWARD = re.compile(IN_LAYER)
_SAME = {"LP305": "LP301"}  # whether the config states the plan or a default fills it in, no text tells


def judge_rows(symptom: Symptom) -> tuple[Vote, ...]:
    """What the rules find in the reported names, in their order. Nothing is certain without the files."""
    places = [place for place, _ in RANK if place in _PLACES]
    findings, _ = run_rules(partial_case(symptom), [load(place) for place in places])
    return tuple(_votes(findings))


def _votes(findings: tuple[Finding, ...]) -> Iterator[Vote]:
    for finding in findings:
        if finding.code in _PLAN and not _of_mixers(finding):
            continue
        name = next((name for row in finding.rows for name in names_of(row.template, row.axes)), "")
        cause = _cause_of(finding)
        yield cause, _confidence(finding), name, _UNTOLD.get(cause, finding.headline)


def _of_mixers(finding: Finding) -> bool:
    """Whether both sides hold mixers: a report that is cut short shows layers in which a feed-forward part is alone."""
    sides = {kind: [row for row in finding.rows if row.kind == kind] for kind in ("missing", "unexpected")}
    return all(any(not _FEED_FORWARD.search(row.template) for row in rows) for rows in sides.values())


def _confidence(finding: Finding) -> Confidence:
    """Likely on two witnesses: several names judged together, both sides compared, a relation of sizes."""
    kinds = {row.kind for row in finding.rows}
    several = count_rows(finding.rows) > 1
    witnesses = several + ({"missing", "unexpected"} <= kinds) + ("mismatched" in kinds)
    return "likely" if witnesses > 1 else "possible"


@cache
def _first_causes() -> dict[str, str]:
    """Rule code -> its own cause: the one named like the rule, else the first that blames the checkpoint."""
    first: dict[str, str] = {}
    for cause in causes().values():
        if cause.blames == "checkpoint" and (cause.code not in first or cause.key == cause.slug):
            first[cause.code] = cause.key
    return first


def _cause_of(finding: Finding) -> str:
    return _first_causes()[_SAME.get(finding.code, finding.code)]
