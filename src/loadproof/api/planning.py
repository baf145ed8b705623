"""`plan`: the layer plan of config.json against the one that the tensors show."""

from __future__ import annotations

import os
from typing import Unpack

from loadproof.api.checking import expecting, open_checkpoint, while_reading
from loadproof.config.plan.reading import diff_plans, plan_from_config
from loadproof.config.plan.tensors import plan_from_tensors
from loadproof.core.reading import Asked, asked_for
from loadproof.core.results import PlanReport
from loadproof.readers import get_reader


def plan(
    location: str | os.PathLike[str],
    **asked: Unpack[Asked],
) -> PlanReport:
    """The layer plans of the checkpoint at `location`; the config's one after the defaults of the model class.

    A release that is asked for and not there gives an inconclusive report.
    Raises `NoCheckpointError` when there is nothing to look at, `ValueError` for an unknown reader.
    """
    reading = asked_for(**asked)
    chosen = get_reader(reading.reader)
    with (
        while_reading(os.fspath(location)),
        open_checkpoint(os.fspath(location), follow_links=reading.follow_links) as checkpoint,
    ):
        config = checkpoint.config
        with expecting(chosen, checkpoint, reading) as expected:
            manifest = checkpoint.manifest(chosen.select(checkpoint, reading), reading.names_only)
            expectation = expected()
    found = plan_from_tensors(manifest.families)
    if reading.release is not None and expectation.version == reading.release and expectation.inconclusive:
        return PlanReport(
            os.fspath(location), None, found, inconclusive=expectation.inconclusive, hint=expectation.hint or ""
        )
    stated = plan_from_config(config, expectation)
    differs = diff_plans(stated, found).layers if stated is not None and found is not None else ()
    return PlanReport(os.fspath(location), stated, found, differs)
