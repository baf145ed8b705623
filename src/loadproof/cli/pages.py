"""The pages that ``loadproof explain CODE`` prints: of a rule, or of the causes that only an error text can tell."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from textwrap import fill
from typing import Any

import msgspec

from loadproof.report.style import terminal_width
from loadproof.report.words import plural
from loadproof.rules import Rule
from loadproof.rules.pages import all_rules
from loadproof.tracebacks.base import Cause
from loadproof.tracebacks.knowledge import causes as all_causes

# What `explain CODE --format json` calls the fields of a cause (frozen), and where they are.
_CAUSE_FIELDS = {
    "headline": "headline",
    "confirm": "confirms",
    "refute": "refutes",
    "remedy": "remedy",
    "where": "blames",
    "issues": "see",
}
_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")  # filled from the symptom; a page has none


def page_of(word: str) -> str | None:
    """The page of a rule or of a group of causes, by code or slug; None where it is neither."""
    rule = next((one for one in all_rules() if word.upper() == one.code or word == one.slug), None)
    if rule is not None:
        return _folded(_of_rule(rule))
    causes = [cause for cause in all_causes().values() if word.upper() == cause.code or word == cause.slug]
    return _folded(_of_causes(causes)) if causes else None


def json_of(word: str) -> dict[str, Any] | None:
    """The same page as plain data: the fields of the rule, or the causes; None where the word is neither."""
    rule = next((one for one in all_rules() if word.upper() == one.code or word == one.slug), None)
    causes = [cause for cause in all_causes().values() if word.upper() == cause.code or word == cause.slug]
    if rule is not None:
        return {"code": rule.code, "slug": rule.slug, "title": rule.title, **msgspec.to_builtins(rule.docs)}
    if not causes:
        return None
    shown = [{field: getattr(cause, of) for field, of in _CAUSE_FIELDS.items()} for cause in causes]
    return {"code": causes[0].code, "slug": causes[0].slug, "causes": shown}


def listed() -> list[tuple[str, str, str]]:
    """Code, slug and title of everything that has a page, by code."""
    rules = {rule.code: (rule.code, rule.slug, rule.title) for rule in all_rules()}
    told: dict[str, list[Cause]] = {}
    for cause in all_causes().values():
        if cause.code not in rules:
            told.setdefault(cause.code, []).append(cause)
    return sorted([*rules.values(), *map(_told, told.values())])


def _told(causes: list[Cause]) -> tuple[str, str, str]:
    """The row of a code that only an error text leads to: what its first cause says, and that there are more."""
    first = causes[0]
    headline = _PLACEHOLDER.sub(lambda found: found[1].upper(), first.headline)
    more = f" (and {plural(len(causes) - 1, 'more cause')})" if len(causes) > 1 else ""
    return first.code, first.slug, f"{headline[:1].upper()}{headline[1:]}{more}"


def _of_rule(rule: Rule) -> list[str]:
    docs = rule.docs
    parts = [f"# {rule.code} {rule.slug}: {rule.title}", docs.finds, f"Why: {docs.why}"]
    if docs.errors:
        parts.append("Errors you may see:\n" + "\n".join(f"- {text}" for text in docs.errors))
    return [*parts, f"Example: {docs.example}", f"Fix: {docs.fix}", f"Harmless when: {docs.harmless}"]


def _of_causes(causes: list[Cause]) -> list[str]:
    first = causes[0]
    about = "No check finds this: it is told from an error text (loadproof explain FILE --checkpoint PATH)."
    return [f"# {first.code} {first.slug}", about, *map(_of_cause, causes)]


def _of_cause(cause: Cause) -> str:
    lines = [
        f"- {cause.headline}",
        f"  confirms: {cause.confirms}",
        f"  refutes: {cause.refutes}",
        f"  do: {cause.remedy}",
    ]
    if cause.see:
        lines.append(f"  known: {', '.join(cause.see)}")
    return _PLACEHOLDER.sub(lambda found: found[1].upper(), "\n".join(lines))


def _folded(parts: Iterable[str]) -> str:
    """The parts as paragraphs; folded under their own text at a terminal, whole lines elsewhere."""
    lines = "\n\n".join(parts).split("\n")
    width = terminal_width(sys.stdout)
    if width is not None:
        lines = [fill(line, max(width, 40), subsequent_indent="  " * line.startswith(("-", " "))) for line in lines]
    return "\n".join(lines) + "\n"
