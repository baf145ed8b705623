"""LP004 trailing-bytes: a file goes on after its last tensor."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Fix, TruncateFile
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import file_findings


def _fix(problems: list[Problem]) -> tuple[Fix, ...]:
    ends = [(problem.file, problem.offset) for problem in problems if problem.offset is not None]
    edits = tuple(TruncateFile(file, end) for file, end in ends)
    return (Fix("cut the file at the end of its last tensor", "lossless", edits),) if edits else ()


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "goes on after its last tensor", _fix)


DOCS = RuleDocs(
    finds="Bytes behind the span of the last tensor.",
    why=(
        "A resumed download that appended too much, a longer old file that was overwritten in place, or an "
        "archive hidden behind the data. The official reader refuses the file."
    ),
    errors=(
        (
            "transformers: SafetensorError: Error while deserializing header: incomplete metadata, file not fully "
            "covered"
        ),
    ),
    example="model.safetensors: the last tensor ends at byte 1,048,576, the file at 1,049,600.",
    fix=(
        "`loadproof fix` cuts the file at the end of the last tensor; no tensor changes. Compare a checksum "
        "where there is one: a wrong tail may mean a wrong body."
    ),
    harmless="Never for a file that is read.",
)
RULE = Rule("LP004", "trailing-bytes", "A file goes on after its last tensor", check, DOCS)
