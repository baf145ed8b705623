"""The rules, one file each. `loadproof.rules.registry` is the explicit list of them, in order of rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from loadproof.core.case import Case
from loadproof.core.findings import Finding
from loadproof.core.outcome import Row
from loadproof.rules.base import Found, Rule
from loadproof.rules.diagnose import guarded, run_rules
from loadproof.rules.registry import every_rule, rules_for

if TYPE_CHECKING:
    RULES: tuple[Rule, ...]


def diagnose(case: Case) -> tuple[tuple[Finding, ...], tuple[Row, ...]]:
    """Findings (the first is the cause) and the reported rows that none of them explains."""
    return run_rules(case, rules_for(case), guarded)


def __getattr__(name: str) -> Any:
    if name == "RULES":  # all of them, imported when they are asked for
        return every_rule()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["RULES", "Found", "Rule", "diagnose", "every_rule", "rules_for"]
