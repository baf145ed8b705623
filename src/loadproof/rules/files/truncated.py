"""LP003 truncated: a file ends before its last tensor."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Fix
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import file_findings


def _fix(problems: list[Problem]) -> tuple[Fix, ...]:
    file = problems[0].file
    others = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    title = f"fetch the missing bytes of {file}{others}: the download stopped; what is there is intact"
    return (Fix(title, "manual"),)


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "ends before its last tensor", _fix)


DOCS = RuleDocs(
    finds=(
        "A file shorter than its header says (or a zip without its directory at the end). The report gives the "
        "number of missing bytes and the tensors that are cut."
    ),
    why=("An interrupted download, a full disk, or a save that was killed. The reader refuses the whole file."),
    errors=(
        (
            "transformers: SafetensorError: Error while deserializing header: incomplete metadata, file not fully "
            "covered"
        ),
        ("torch: RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"),
        "llama.cpp: tensor data is not within the file bounds, model is corrupted or incomplete",
    ),
    example=(
        "model-00002-of-00004.safetensors: 3,221,225,472 of 4,976,698,672 bytes are there; 61 tensors are cut "
        "or absent."
    ),
    fix=(
        "Download the rest (a ranged download of the missing bytes is enough) or the whole file. The lost bytes "
        "are nowhere else."
    ),
    harmless="Never for a file that is read.",
)
RULE = Rule("LP003", "truncated", "A file ends before its last tensor", check, DOCS)
