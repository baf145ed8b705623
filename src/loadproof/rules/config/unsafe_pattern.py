"""LP015 unsafe-pattern: a regular expression that may never end."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import text_findings


def check(case: Case) -> Iterable[Found]:
    yield from text_findings(case, RULE.code)


DOCS = RuleDocs(
    finds="Patterns in quantization or adapter configs that are over-long or repeat a repeat.",
    why=("Tools compile and run these patterns on every tensor name; a crafted one takes exponential time."),
    errors=("all engines: the load hangs",),
    example='`"ignore": ["re:(a+)+$"]`',
    fix="Write the pattern plainly, or list the modules.",
    harmless="Never in a file from a source you do not know.",
)
RULE = Rule("LP015", "unsafe-pattern", "A regular expression that may never end", check, DOCS)
