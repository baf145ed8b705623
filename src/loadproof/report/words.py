"""Sentences and counts that several formats share."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.families import count, show
from loadproof.types import Finding, Outcome, Report, Row, Severity

KINDS = {"missing": "missing", "unexpected": "unexpected", "mismatched": "mismatched", "conversion": "not convertible"}
RANK: dict[Severity, int] = {"info": 0, "warning": 1, "error": 2}


def plural(number: int, noun: str) -> str:
    """``1 tensor``, ``2 tensors``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def tally(rows: Iterable[Row]) -> dict[str, int]:
    """Names per row kind, in the order of `KINDS`; kinds without rows are left out."""
    totals = dict.fromkeys(KINDS, 0)
    for row in rows:
        totals[row.kind] += count(row.axes)
    return {kind: number for kind, number in totals.items() if number}


def tally_text(rows: Iterable[Row]) -> str:
    """``7 missing, 4 unexpected``."""
    return ", ".join(f"{number:,} {KINDS[kind]}" for kind, number in tally(rows).items())


def total(rows: Iterable[Row]) -> int:
    """How many names the rows stand for."""
    return sum(count(row.axes) for row in rows)


def row_text(row: Row) -> str:
    """One row as a line without its kind: ``model.layers.{0-3}.x.weight  (4 x)  expected [8, 8], found [64]``."""
    text = show(row.template, row.axes)
    if (number := count(row.axes)) > 1:
        text += f"  ({number:,} names)"
    if row.expected is not None and row.found is not None:
        text += f"  expected {list(row.expected)}, found {list(row.found)}"
    elif row.expected is not None:
        text += f"  {list(row.expected)}"
    elif row.found is not None:
        text += f"  {list(row.found)}"
    return f"{text}  {row.text}" if row.text else text


def reader_name(report: Report) -> str:
    """``transformers 5.24.0``; without the version when it is not known."""
    expectation = report.case.expectation
    return f"{expectation.reader} {expectation.version}".strip()


def verdict_text(report: Report) -> str:
    """What the reader will do with this checkpoint, in one sentence without the verdict word."""
    reader = reader_name(report)
    model = report.case.expectation.class_name or "the model"
    if report.verdict == "fails":
        error = failure(report)
        return f"{reader} raises{': ' + error if error else ''}"
    if report.verdict == "inconclusive":
        reason = (
            report.case.expectation.inconclusive or report.case.outcome.inconclusive or "not everything was checked"
        )
        return f"cannot say what {reader} does: {reason}"
    if report.verdict == "loads":
        return f"{reader} fills every parameter of {model} from the checkpoint"
    return f"{reader} loads {model} without an exception{_consequence(report.case.outcome, report.findings)}"


def _consequence(outcome: Outcome, findings: tuple[Finding, ...]) -> str:
    missing = tally(outcome.rows).get("missing", 0)
    unexpected = tally(outcome.rows).get("unexpected", 0)
    if missing:
        noun = "parameter stays" if missing == 1 else "parameters stay"
        return f", but {missing:,} {noun} random"
    if unexpected:
        noun = "stored tensor is" if unexpected == 1 else "stored tensors are"
        return f", but {unexpected:,} {noun} not used"
    return f", but not rightly: {findings[0].headline}" if findings else ""


def failure(report: Report) -> str:
    """The predicted exception text, from the earliest stage that raises; empty when it is not known."""
    case = report.case
    problems = (*case.config.problems, *case.inventory.problems, *case.manifest.problems)
    breaking = [problem.breaks for problem in problems if problem.breaks]
    texts = [case.expectation.raises, case.selection.error, *breaking, case.outcome.error]
    return next((text for text in texts if text), "")


def size_text(size: int) -> str:
    """Bytes for people: ``16.1 GB`` (decimal units, as hubs print them)."""
    value, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
