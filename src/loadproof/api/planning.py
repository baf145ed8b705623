"""`plan`: the layer plan of config.json against the one that the tensors show."""

from __future__ import annotations

import os

from loadproof.api.checking import Expecting, choose_reader, expecting, of_release, open_checkpoint, reading
from loadproof.config import read_config
from loadproof.config.plan.reading import diff_plans, plan_from_config
from loadproof.config.plan.tensors import plan_from_tensors
from loadproof.core.results import PlanReport
from loadproof.formats import read_manifest


def plan(
    location: str | os.PathLike[str],
    *,
    reader: str = "transformers",
    class_name: str | None = None,
    source: str | None = None,
    names_only: bool = False,
    use_cache: bool = True,
    follow_links: bool = True,
    evaluate_code_without_wall: bool = False,
) -> PlanReport:
    """The layer plans of the checkpoint at `location`; the config's one after the defaults of the model class.

    A release that is asked for and not there gives an inconclusive report.
    Raises `NoCheckpointError` when there is nothing to look at, `ValueError` for an unknown reader.
    """
    chosen, version = choose_reader(reader)
    with reading(os.fspath(location)):
        inventory = open_checkpoint(os.fspath(location), follow_links=follow_links)
        config = read_config(inventory)
        options = Expecting(class_name, source, names_only, use_cache, evaluate_code_without_wall)
        with expecting(chosen, config, inventory, options) as expected:
            manifest = read_manifest(inventory, chosen.select(inventory, config, names_only), names_only)
            expectation = of_release(expected(), version)
    found = plan_from_tensors(manifest.families)
    if version is not None and expectation.version == version and expectation.inconclusive:
        return PlanReport(
            os.fspath(location), None, found, inconclusive=expectation.inconclusive, hint=expectation.hint or ""
        )
    stated = plan_from_config(config, expectation)
    differs = diff_plans(stated, found).layers if stated is not None and found is not None else ()
    return PlanReport(os.fspath(location), stated, found, differs)
