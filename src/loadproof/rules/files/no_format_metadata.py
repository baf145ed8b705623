"""LP010 no-format-metadata: the header does not say which framework wrote it."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RegenerateHeader
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import evidence_of, faults, is_read


def check(case: Case) -> Iterable[Found]:
    """One info for all files: every reader of today accepts them, transformers 4 did not."""
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


RULE = Rule(
    code="LP010",
    slug="no-format-metadata",
    group="files",
    title="The header does not say which framework wrote it",
    check=check,
    cured_by=(RegenerateHeader,),
)
