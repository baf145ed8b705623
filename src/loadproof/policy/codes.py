"""Codes as people write them: ``LP301``, its slug, or a family (``LP3``)."""

from __future__ import annotations

import re
from functools import cache

from loadproof.core.near import did_you_mean

_PREFIX = re.compile(r"LP\d{1,2}", re.IGNORECASE)


@cache
def known_codes() -> dict[str, str]:
    """Slug -> code, of every rule and every reserved code. Reads all rules, so it is asked where codes are written only."""
    from loadproof.rules.catalogue import RESERVED, all_rules

    return {slug: code for code, slug in RESERVED.items()} | {rule.slug: rule.code for rule in all_rules()}


def code_problem(word: str) -> str | None:
    """Why no code is meant by this word; None where one is."""
    known = known_codes()
    if word.lower() in known or word.upper() in known.values():
        return None
    if _PREFIX.fullmatch(word) and any(code.startswith(word.upper()) for code in known.values()):
        return None
    near = did_you_mean(word, (*known, *known.values()), "; 'loadproof rules' lists them")
    return f"there is no code or slug '{word}'{near}"


def matches(word: str, code: str, slug: str) -> bool:
    """Whether a word names this code."""
    return word.lower() == slug or (code.startswith(word.upper()) and len(word) <= len(code))
