"""LP009 duplicate-header-key: one header names a tensor twice."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import file_findings, write_again


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "names a tensor twice in its header", write_again)


DOCS = RuleDocs(
    finds=("The same key twice in one safetensors header, also when one of them is spelled with an escape."),
    why=(
        "The official reader takes the last one, other JSON parsers the first: two readers load different "
        "weights from one file, without a word."
    ),
    errors=("all engines: no error; which copy is used depends on the JSON parser",),
    example="`model.norm.weight` stands twice with different spans.",
    fix=(
        "Write the file again. Which copy is right cannot be decided from the file, so it is never mended "
        "automatically."
    ),
    harmless="Never.",
)
RULE = Rule("LP009", "duplicate-header-key", "One header names a tensor twice", check, DOCS)
