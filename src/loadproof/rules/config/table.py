"""The rules about config.json and its like that need no code of their own: one finding for each fault that was recorded."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import text_findings


def _row(code: str, slug: str, title: str, *, beside_weights: bool = False) -> Rule:
    def check(case: Case) -> Iterable[Found]:
        return text_findings(case, code)

    return Rule(code=code, slug=slug, group="config", title=title, check=check, beside_weights=beside_weights)


_ROWS = (
    _row("LP013", "config-invalid", "config.json cannot be read"),
    _row("LP014", "config-value", "A config value that no model can be built from"),
    _row("LP015", "unsafe-pattern", "A regular expression that may never end", beside_weights=True),
)
RULES = {rule.slug: rule for rule in _ROWS}
