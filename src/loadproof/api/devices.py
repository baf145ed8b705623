"""One outcome for several machines: the same where they agree, else that of the worst, with all of them beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from loadproof.core.expectation import Expectation
from loadproof.core.outcome import Outcome


def on_devices(expectation: Expectation, load: Callable[[Expectation], Outcome]) -> tuple[Expectation, Outcome]:
    """The expectation to report about and its outcome; it keeps the others in `elsewhere`."""
    every = (expectation, *expectation.elsewhere)
    loaded = [(one, load(one)) for one in every]
    if len({repr(_told(outcome)) for _, outcome in loaded}) == 1:
        return (replace(expectation, device="") if expectation.elsewhere else expectation), loaded[0][1]
    worst, outcome = max(loaded, key=lambda pair: _badness(pair[1]))
    others = tuple(replace(one, elsewhere=()) for one in every if one is not worst)
    devices = tuple((one.device, each) for one, each in loaded)
    return replace(worst, elsewhere=others), replace(outcome, devices=devices)


def _told(outcome: Outcome) -> tuple[Any, ...]:
    """What a user sees of it."""
    rows = sorted((row.kind, row.template, row.axes) for row in outcome.rows)
    return rows, outcome.raises, outcome.error, outcome.inconclusive


def _badness(outcome: Outcome) -> int:
    """It raises, loads wrong, cannot be told, leaves something unused, loads."""
    kinds = {row.kind for row in outcome.rows}
    marks = (outcome.raises, bool(kinds - {"unexpected"}), outcome.inconclusive is not None, bool(kinds))
    return next((len(marks) - at for at, mark in enumerate(marks) if mark), 0)
