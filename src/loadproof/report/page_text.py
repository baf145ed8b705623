"""The page that ``loadproof explain CODE`` prints: of a rule, or of the causes that only an error text can tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from textwrap import fill

from loadproof.core.pages import HEADINGS, CausesPage, CauseText, RulePage

_PLACEHOLDER = re.compile(r"\{([a-z]+)\}")  # filled from the symptom; a page has none


def render_page(page: RulePage | CausesPage, *, width: int | None = None, **_: object) -> str:
    """The parts as paragraphs, folded under their own text where a width is given."""
    parts = _of_rule(page) if isinstance(page, RulePage) else _of_causes(page)
    return _folded(parts, width)


def _of_rule(page: RulePage) -> list[str]:
    parts = [f"# {page.code} {page.slug}: {page.title}"]
    for field, heading in HEADINGS.items():
        said = getattr(page, field)
        parts += [f"## {heading}", said if isinstance(said, str) else "\n".join(f"- {text}" for text in said)]
    return parts


def _of_causes(page: CausesPage) -> list[str]:
    about = "No check finds this: it is told from an error text (loadproof explain FILE --checkpoint PATH)."
    return [f"# {page.code} {page.slug}", about, *map(_of_cause, page.causes)]


def _of_cause(cause: CauseText) -> str:
    lines = [
        f"- {cause.headline}",
        f"  confirms: {cause.confirms}",
        f"  refutes: {cause.refutes}",
        f"  do: {cause.remedy}",
    ]
    if cause.see:
        lines.append(f"  known: {', '.join(cause.see)}")
    return _PLACEHOLDER.sub(lambda found: found[1].upper(), "\n".join(lines))


def _folded(parts: Iterable[str], width: int | None) -> str:
    lines = "\n\n".join(parts).split("\n")
    if width is not None:
        lines = [fill(line, max(width, 40), subsequent_indent="  " * line.startswith(("-", " "))) for line in lines]
    return "\n".join(lines) + "\n"
