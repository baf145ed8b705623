"""Healthy checkpoints of many architectures, made from the library's default configs without any weights.

A file that holds exactly the names in memory always loads, so the expectation itself, written out as a manifest, is a
healthy checkpoint of its class.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from loadproof.api.checking import conclude
from loadproof.config.plan.reading import plan_from_config
from loadproof.config.plan.tensors import plan_from_tensors
from loadproof.core.case import Case, Report, Timings
from loadproof.core.checkpoint import FileInfo, Inventory, Manifest, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.core.families import count, fold, names_of
from loadproof.core.outcome import Outcome
from loadproof.core.reading import Reading
from loadproof.core.tensors import Family
from loadproof.formats import StoredCheckpoint
from loadproof.readers import get_reader
from loadproof.storage.memory import Memory

FILE = "model.safetensors"


def model_types() -> list[str]:
    """Every model type of the installed release."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    return sorted(CONFIG_MAPPING_NAMES)


def default_reports(names: Iterable[str] | None = None) -> Iterator[tuple[str, Report]]:
    """One report for every type whose default config builds a model that can be saved; the others are passed over."""
    reader = get_reader("transformers")
    for name in names if names is not None else model_types():
        raw = {"model_type": name}
        config = ModelConfig("config.json", raw, json.dumps(raw, indent=2))
        checkpoint = StoredCheckpoint(Memory({}), Inventory(".", ()), config)
        expectation = reader.build(checkpoint, Reading(use_cache=False))
        if expectation.raises is None and expectation.families:
            yield name, report(config, expectation)


def report(config: ModelConfig, expectation: Expectation) -> Report:
    """The report on the checkpoint that this expectation describes."""
    info = FileInfo(FILE, 1, "safetensors")
    inventory = Inventory(".", (info,))
    checkpoint = StoredCheckpoint(Memory({}), inventory, config)
    selection = Selection(FILE, (FILE,), "safetensors")
    families = tuple(saved_families(expectation))
    tensors = sum(count(family.axes) for family in families)
    manifest = Manifest("safetensors", (info,), families, tensors, 1)
    if expectation.inconclusive:
        outcome = Outcome(inconclusive=expectation.inconclusive)
    else:
        outcome = get_reader(expectation.reader).load(manifest, expectation, config)
    plans = plan_from_config(config, expectation), plan_from_tensors(families)
    return conclude(
        Case(inventory, selection, manifest, config, expectation, outcome, *plans, checkpoint=checkpoint), Timings()
    )


def saved_families(expectation: Expectation) -> Iterator[Family]:
    """What a save writes, under the names in memory: every parameter and persistent buffer, a tied one once."""
    tied = {target for target, _ in expectation.ties}
    named = [
        (name, expected.shape)
        for expected in expectation.families
        for name in names_of(expected.template, expected.axes)
        if name not in tied
    ]
    for template, axes, shape in fold(named):
        yield Family(template, axes, "F32", shape, (FILE,))
