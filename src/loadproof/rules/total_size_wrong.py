"""LP109 total-size-wrong: the size in the index is not the size of the tensors."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.faults import evidence_of, faults
from loadproof.types import Case, Finding, Fix, SetJson, Severity


def check(case: Case) -> Iterable[Finding]:
    """A warning for a number that contradicts the headers; a remark where it is zero or cannot be compared."""
    for problem in faults(case, "LP109")[:1]:
        plain = case.manifest.names_only or problem.detail in ("zero", "absent") or problem.found in ("0", None)
        severity: Severity = "info" if plain else problem.severity
        headline = f"{problem.file}: {problem.text}"
        edits = (SetJson(problem.file, ("metadata", "total_size"), case.manifest.bytes),) if case.manifest.bytes else ()
        fix = Fix("write the sum of the tensors' sizes into metadata.total_size", "lossless", edits)
        yield Finding(
            "LP109",
            "total-size-wrong",
            severity,
            "certain",
            headline,
            evidence_of([problem]),
            (),
            0,
            (fix,) if edits else (),
        )


DOCS = RuleDocs(
    finds="`metadata.total_size` of the index differs from the sum of the tensors.",
    why=(
        "No reader of today uses the number to load. It betrays an edited or stale index, or tensors of another "
        "dtype or number than the writer thought."
    ),
    errors=("no engine stops for it",),
    example="total_size says 0, the shards hold 17,534,339,368 bytes.",
    fix="Write the sum into the index.",
    harmless="Always, as long as names and shapes fit.",
)
RULE = Rule("LP109", "total-size-wrong", "The size in the index is not the size of the tensors", check, DOCS)
