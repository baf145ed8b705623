"""The list of everything that has a page, one code a line."""

from __future__ import annotations

from loadproof.core.pages import RuleList
from loadproof.report.style import paint


def render_rules(listed: RuleList, *, color: bool = False, **_: object) -> str:
    """``LP301  layer-plan-mismatch  ...``, the columns aligned."""
    width = max((len(rule.slug) for rule in listed.rules), default=0)
    lines = [
        paint((("command", rule.code), ("bold", f"  {rule.slug:<{width}}"), ("", f"  {rule.title}")), color)
        for rule in listed.rules
    ]
    return "".join(f"{line}\n" for line in lines)
