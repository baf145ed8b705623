"""`explain`: from an error text to its causes, decided by the checkpoint where one is given."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from time import perf_counter
from typing import Unpack

from msgspec.structs import replace

from loadproof.core.case import Case, Report, Timings
from loadproof.core.checkpoint import Inventory, Manifest, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.coverage import Skip
from loadproof.core.expectation import Expectation
from loadproof.core.outcome import Outcome
from loadproof.core.reading import Asked
from loadproof.core.symptom import Symptom
from loadproof.tracebacks import candidates, read_symptom, unweighed, weigh


def explain(
    text: str | Iterable[str],
    checkpoint: str | os.PathLike[str] | None = None,
    *,
    location: str = "text",
    **reading: Unpack[Asked],
) -> Report:
    """The causes of an error text (a message, a traceback or a whole log, as text or as lines), most probable first.

    The report's findings are the causes and its case holds the `Symptom`; without findings the text was not recognised.
    With `checkpoint` the folder is checked (`reading`: the keywords of `check`) and decides which causes remain;
    without one the verdict is ``inconclusive``. Raises what `check` raises.
    """
    started = perf_counter()
    symptom = read_symptom(text.splitlines() if isinstance(text, str) else text)
    if symptom.missing or symptom.unexpected or symptom.mismatched:
        import_module("loadproof.readers")  # a reader enters itself: the rules ask it what other names would load
    causes = candidates(symptom)
    if checkpoint is None:
        timings = Timings(total_s=perf_counter() - started)
        why = Skip("the checkpoint", "none was given; --checkpoint PATH decides between the causes")
        case = _case_of_text(symptom, location)
        return Report(case, "inconclusive", unweighed(symptom, causes), (), ("error text",), (why,), timings)
    from loadproof.api.checking import check

    report = check(checkpoint, **reading)
    findings = weigh(symptom, causes, report) if causes else report.findings
    timings = replace(report.timings, total_s=perf_counter() - started)
    case = replace(report.case, symptom=symptom)
    return replace(report, case=case, findings=findings, checked=("error text", *report.checked), timings=timings)


def _case_of_text(symptom: Symptom, location: str) -> Case:
    """A case in which no stage ran."""
    return Case(
        Inventory(location, ()),
        Selection(None, (), "none"),
        Manifest("none", (), (), 0, 0),
        ModelConfig(None, {}),
        Expectation("none", "", "", "", "none", inconclusive="only an error text was given"),
        Outcome(inconclusive="only an error text was given"),
        symptom=symptom,
    )
