"""`page` and `rules`: what is known of a code, and the list of all codes."""

from __future__ import annotations

import re

from loadproof.core.pages import CausesPage, CauseText, Listed, RuleList, RulePage
from loadproof.rules.catalogue import all_rules
from loadproof.rules.docs import page_of
from loadproof.tracebacks.base import Cause
from loadproof.tracebacks.knowledge import causes as all_causes

_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")  # filled from the symptom; a list has none


def page(word: str) -> RulePage | CausesPage | None:
    """The page of a rule, or of a group of causes, by code or slug; None where it is neither."""
    for rule in all_rules():
        if word.upper() == rule.code or word == rule.slug:
            return page_of(rule)
    causes = [cause for cause in all_causes().values() if word.upper() == cause.code or word == cause.slug]
    return CausesPage(causes[0].code, causes[0].slug, tuple(map(_text_of, causes))) if causes else None


def _text_of(cause: Cause) -> CauseText:
    return CauseText(cause.headline, cause.confirms, cause.refutes, cause.remedy, cause.blames, cause.see)


def rules() -> RuleList:
    """Code, slug and title of everything that has a page, by code."""
    listed = {rule.code: Listed(rule.code, rule.slug, rule.title) for rule in all_rules()}
    told: dict[str, list[Cause]] = {}
    for cause in all_causes().values():
        if cause.code not in listed:
            told.setdefault(cause.code, []).append(cause)
    return RuleList(tuple(sorted([*listed.values(), *map(_told, told.values())], key=lambda one: one.code)))


def _told(causes: list[Cause]) -> Listed:
    """The row of a code that only an error text leads to: what its first cause says, and that there are more."""
    first = causes[0]
    headline = _PLACEHOLDER.sub(lambda found: found[1].upper(), first.headline)
    more = len(causes) - 1
    rest = f" (and {more} more cause{'s' if more > 1 else ''})" if more else ""
    return Listed(first.code, first.slug, f"{headline[:1].upper()}{headline[1:]}{rest}")
