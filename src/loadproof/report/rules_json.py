"""The list of everything that has a page, as JSON (docs/results.v1.schema.json)."""

from __future__ import annotations

import msgspec

from loadproof.core.pages import RuleList


def render_rules_json(listed: RuleList, **_: object) -> str:
    """A list of code, slug and title."""
    return msgspec.json.format(msgspec.json.encode(listed.rules), indent=2).decode() + "\n"
