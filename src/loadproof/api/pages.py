"""`page` and `rules`: what is known of a code, and the list of all codes."""

from __future__ import annotations

from loadproof.core.pages import CausesPage, CauseText, Listed, RuleList, RulePage
from loadproof.rules.catalogue import all_rules
from loadproof.rules.docs import page_of
from loadproof.tracebacks.base import Cause
from loadproof.tracebacks.knowledge import causes as all_causes
from loadproof.tracebacks.knowledge import titles


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
    for cause in all_causes().values():
        if cause.code not in listed:  # a code that only an error text leads to
            listed[cause.code] = Listed(cause.code, cause.slug, titles()[cause.code])
    return RuleList(tuple(sorted(listed.values(), key=lambda one: one.code)))
