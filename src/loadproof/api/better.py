"""Which of two reports about a checkpoint is the better one."""

from __future__ import annotations

from loadproof.api.verdict import opens
from loadproof.core.case import Report
from loadproof.core.families import count
from loadproof.core.outcome import Row, Verdict

# From worse to better. What is merely unjudged is better than what is known to be wrong, and never as good as `loads`.
ORDER: tuple[Verdict, ...] = ("fails", "loads-wrong", "inconclusive", "loads")
Merit = tuple[int, bool, int, int, int]


def merit(report: Report) -> Merit:
    """Comparable: the verdict, whether the files open at all, then how few reported names are bad, then how few errors
    and warnings there are."""
    loud = [finding.severity for finding in report.findings]
    opened = report.verdict != "fails" or opens(report.case)
    return ORDER.index(report.verdict), opened, -bad_rows(report), -loud.count("error"), -loud.count("warning")


def is_better(after: Report, before: Report) -> bool:
    """Whether the verdict is better, or as good with fewer bad names, errors or warnings."""
    return merit(after) > merit(before)


def is_progress(after: Report, before: Report) -> bool:
    """Whether less is wrong, or the load gets further: what kept the names from being judged hid what is wrong with them.

    Names that are right may make wrong shapes fail that nobody compared before: that is progress, and not yet better.
    """
    return is_better(after, before) or helped(after) > helped(before)


def helped(after: Report) -> tuple[int, int, Merit]:
    """Comparable: how far the load gets, then how few names are bad. The cause that explains most leaves least."""
    return _reached(after), -bad_rows(after), merit(after)


def _reached(report: Report) -> int:
    """How far the load gets: not to the names, to names that are not judged, or to all of them."""
    case = report.case
    if not opens(case):
        return 0
    return 1 if case.outcome.inconclusive or case.expectation.inconclusive else 2


def bad_rows(report: Report) -> int:
    """Reported names that no finding calls harmless."""
    harmless = sum(finding.explains for finding in report.findings if finding.severity == "info")
    return _total(report.case.outcome.rows) - harmless


def _total(rows: tuple[Row, ...]) -> int:
    return sum(count(row.axes) for row in rows)


__all__ = ["ORDER", "bad_rows", "helped", "is_better", "is_progress", "merit"]
