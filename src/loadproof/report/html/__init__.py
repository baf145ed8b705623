"""One self-contained HTML page: what is wrong at a glance, why, and what fixes it. It loads nothing and sends nothing."""

from __future__ import annotations

from loadproof.core.case import Report
from loadproof.core.results import Checks
from loadproof.report.html.page import Pages, page
from loadproof.report.targets import targets_of


def render_html(result: Report | Checks, *, status: int = 0, pages: Pages | None = None, **_: object) -> str:
    """The page, less than 1 MB whatever is in it. `pages`: what is known of the codes that occur."""
    return page(targets_of(result, status), pages or {})
