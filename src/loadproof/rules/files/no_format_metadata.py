"""LP010 no-format-metadata: the header does not say which framework wrote it."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RegenerateHeader
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import evidence_of, faults, is_read


def check(case: Case) -> Iterable[Found]:
    """One remark for all files: every reader of today accepts them, transformers 4 did not."""
    problems = [problem for problem in faults(case, RULE.code) if is_read(case, problem.file)]
    if not problems:
        return
    files = sorted({problem.file for problem in problems})
    subject = files[0] if len(files) == 1 else f"{len(files)} files"
    edits = tuple(RegenerateHeader(file, {"format": "pt"}) for file in files)
    fix = Fix('write {"format": "pt"} into the header', "lossless", edits)
    headline = f"{subject}: no format in the header metadata, which transformers before 5 refuses"
    severity: Severity = "error" if case.expectation.version.startswith("4.") else "info"
    yield Found(
        severity=severity, confidence="certain", headline=headline, evidence=evidence_of(problems), fixes=(fix,)
    )


DOCS = RuleDocs(
    finds="A safetensors file without `__metadata__.format`.",
    why=(
        "transformers 4 looks for `pt` there and refuses the file otherwise; transformers 5 and the other "
        "engines do not ask."
    ),
    errors=(
        ("transformers 4: OSError: The safetensors archive passed at ... does not contain the valid metadata"),
        "transformers 4: AttributeError: 'NoneType' object has no attribute 'get'",
    ),
    example="A file written by a converter with no metadata at all.",
    fix='`loadproof fix` adds `{"format": "pt"}` to the header; no tensor moves.',
    harmless="Everywhere but in transformers 4.",
)
RULE = Rule("LP010", "no-format-metadata", "The header does not say which framework wrote it", check, DOCS)
