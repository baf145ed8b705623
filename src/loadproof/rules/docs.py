"""The page of a rule: the Markdown file ``<slug>.md`` beside it, with the same headings for every rule.

Nothing here is read by a check; only ``loadproof explain CODE``, ``loadproof rules`` and the site ask for it.
"""

from __future__ import annotations

import re
from importlib.resources import files

from loadproof.core.pages import HEADINGS, RulePage
from loadproof.rules.base import Rule

_HEADING = re.compile(r"^## (.+)\n", flags=re.M)


def text_of(rule: Rule) -> str:
    """The docs of the rule as they are written. Raises `FileNotFoundError` where it has none."""
    return files("loadproof.rules").joinpath(rule.group, f"{rule.slug}.md").read_text(encoding="utf-8")


def page_of(rule: Rule) -> RulePage:
    """The docs by their headings. Raises `ValueError` where the headings are not those of `HEADINGS`, in their order."""
    _, *parts = _HEADING.split(text_of(rule))
    if parts[::2] != list(HEADINGS.values()):
        raise ValueError(f"{rule.group}/{rule.slug}.md: the headings are {parts[::2]}, not {list(HEADINGS.values())}")
    said = dict(zip(HEADINGS, (body.strip() for body in parts[1::2]), strict=True))
    errors = tuple(line.removeprefix("- ") for line in said.pop("errors").splitlines())
    return RulePage(rule.code, rule.slug, rule.title, errors=errors, **said)
