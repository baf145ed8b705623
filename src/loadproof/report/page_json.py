"""The page of a code as JSON: the fields of the rule, or the causes (docs/results.v1.schema.json)."""

from __future__ import annotations

import msgspec

from loadproof.core.pages import CausesPage, RulePage


def render_page_json(page: RulePage | CausesPage, **_: object) -> str:
    """The fields as they are: nothing here comes from a file."""
    return msgspec.json.format(msgspec.json.encode(page), indent=2).decode() + "\n"
