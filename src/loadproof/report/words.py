"""Sentences and counts that several formats share."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.case import Report
from loadproof.core.families import count, show
from loadproof.core.outcome import Outcome, Row

KINDS = {
    "missing": "missing",
    "unexpected": "unexpected",
    "mismatched": "mismatched",
    "conversion": "not convertible",
    "misread": "misread",
}

_RAISED = re.compile(r"[A-Z]\w{0,60}(?:Error|Exception): ")


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
    """The verdict in numbers, without its word: ``9 of 339 parameters stay random, 6 stored tensors unused``."""
    case = report.case
    if report.verdict == "inconclusive":
        return case.expectation.inconclusive or case.outcome.inconclusive or "not everything was checked"
    counts = _counts(report)
    if report.verdict == "loads":
        model = case.expectation.class_name or "the model"
        by_name = ", judged by name" if case.manifest.only_named else ""
        return f"every parameter of {model} gets its tensor{by_name}" + (f"; {counts}" if counts else "")
    if report.verdict == "fails" and (not counts or not report.findings):
        return one_line(failure(report)) or "the reader raises"
    return counts or (report.findings[0].headline if report.findings else "")


_FATES = {
    "missing": ("stays random", "stay random"),
    "mismatched": ("has another shape", "have other shapes"),
    "conversion": ("cannot be converted", "cannot be converted"),
    "misread": ("takes packed numbers as they are", "take packed numbers as they are"),
}


def _counts(report: Report) -> str:
    rows = tally(report.case.outcome.rows)
    parameters = report.case.expectation.parameters
    parts = []
    for kind, fate in _FATES.items():
        if number := rows.get(kind):
            if kind == "missing" and report.verdict == "fails":  # nothing is left random where nothing is loaded
                fate = ("has no tensor", "have no tensor")
            elif kind == "missing" and report.case.outcome.adapter is not None:
                fate = ("stays as made", "stay as made")
            subject = f"{number:,} of {plural(parameters, 'parameter')}" if parameters else plural(number, "parameter")
            parts.append(f"{subject} {fate[number > 1]}")
    if unused := rows.get("unexpected"):
        parts.append(f"{plural(unused, 'stored tensor')} unused")
    return ", ".join(parts)


def devices_text(report: Report) -> list[str]:
    """A line for each machine where they differ, the one that the report is about first."""
    judged, devices = report.case.expectation.device, dict(report.case.outcome.devices)
    names = sorted(devices, key=lambda name: name != judged)
    return [f"{name}: {_on_device(devices[name])}{' (this report)' if name == judged else ''}" for name in names]


def _on_device(outcome: Outcome) -> str:
    if outcome.raises:
        return f"raises {one_line(outcome.error or '')}".rstrip()
    if outcome.inconclusive is not None:
        return f"not known: {outcome.inconclusive}"
    told = tally_text(outcome.rows)
    wrong = any(row.kind != "unexpected" for row in outcome.rows)
    return f"loads wrong: {told}" if wrong else f"loads; {told}" if told else "loads"


def outcome_text(report: Report) -> str:
    """What the reader does with this checkpoint, in one sentence."""
    reader = reader_name(report)
    model = report.case.expectation.class_name or "the model"
    if report.verdict == "fails":
        error = one_line(failure(report))
        return f"{reader} raises {error}" if error else f"{reader} raises"
    rows = tally(report.case.outcome.rows)
    if missing := rows.get("missing"):
        left = "random" if report.case.outcome.adapter is None else "as made"
        result = f", but {missing:,} {'parameter stays' if missing == 1 else 'parameters stay'} {left}"
    elif misread := rows.get("misread"):
        result = (
            f", and {plural(misread, 'parameter')} {'takes' if misread == 1 else 'take'} packed numbers as they are"
        )
    elif unused := rows.get("unexpected"):
        result = f", but {plural(unused, 'stored tensor')} {'is' if unused == 1 else 'are'} not used"
    else:
        result = ", but not with the weights that were meant"
    return f"{reader} loads {model} without an exception{result}"


def failure(report: Report) -> str:
    """The predicted exception text, from the earliest stage that raises; empty when it is not known."""
    case = report.case
    problems = (*case.config.problems, *case.inventory.problems, *case.manifest.problems)
    breaking = filter(None, map(case.reaction, problems))
    texts = [case.expectation.raises, case.selection.error, *breaking, case.outcome.error]
    return next((text for text in texts if text), "")


def one_line(text: str) -> str:
    """Exception texts run over several lines; a report line holds one.

    Of an error that wraps another (a validation error of huggingface_hub) its type and the inner error stay.
    """
    outer, *rest = text.strip().splitlines() or [""]
    if rest and _RAISED.match(rest[-1].strip()):
        text = f"{outer.partition(':')[0]}: {rest[-1]}"
    return " ".join(text.split())


def size_text(size: int) -> str:
    """Bytes for people: ``16.1 GB`` (decimal units, as hubs print them)."""
    value, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
