"""Which of two reports about a checkpoint is the better one."""

from __future__ import annotations

from loadproof.core.case import Report
from loadproof.core.families import count
from loadproof.core.outcome import Row, Verdict

# From worse to better. What is merely unjudged is better than what is known to be wrong, and never as good as `loads`.
ORDER: tuple[Verdict, ...] = ("fails", "loads-wrong", "inconclusive", "loads")
Merit = tuple[int, int, int, int]


def merit(report: Report) -> Merit:
    """Comparable: the verdict, then how few reported names are bad, then how few errors and warnings there are."""
    loud = [finding.severity for finding in report.findings]
    return ORDER.index(report.verdict), -bad_rows(report), -loud.count("error"), -loud.count("warning")


def is_better(after: Report, before: Report) -> bool:
    """Whether the verdict is better, or as good with fewer bad names, errors or warnings."""
    return merit(after) > merit(before)


def bad_rows(report: Report) -> int:
    """Reported names that no finding calls harmless."""
    rows = [row for finding in report.findings if finding.severity != "info" for row in finding.rows]
    return _total((*rows, *report.unexplained))


def _total(rows: tuple[Row, ...]) -> int:
    return sum(count(row.axes) for row in rows)


__all__ = ["ORDER", "bad_rows", "is_better", "merit"]
