"""The predicted load report equals the real one, and so does the exception, over damaged tiny checkpoints."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loadproof.core.expectation import Expectation
from loadproof.core.reading import Reading
from loadproof.formats import checkpoint_at
from loadproof.readers import get_reader
from tests.differential import composite_models, damage, real, shards, tiny_models

pytestmark = pytest.mark.torch


def cases(few: tuple[str, ...], types: tuple[str, ...]) -> list[Any]:
    """The few of every run first, the others for the oracle run."""
    return [*few, *(pytest.param(name, marks=pytest.mark.oracle) for name in types if name not in few)]


SHARDED = ("llama", *(pytest.param(name, marks=pytest.mark.oracle) for name in ("mixtral", "qwen3_next", "gemma2")))


class Saved:
    """A real model saved in a folder, and what the product expects of it."""

    def __init__(self, model: Any, folder: Path) -> None:
        from safetensors.torch import load_file

        self.model = model
        self.model.save_pretrained(folder)
        self.folder = str(folder)
        self.tensors = dict(load_file(folder / "model.safetensors"))
        self.expectation = self.expect()

    def expect(self) -> Expectation:
        checkpoint = checkpoint_at(self.folder)
        name = type(self.model).__name__
        return get_reader("transformers").build(checkpoint, Reading(class_name=name, use_cache=False))

    def difference(self) -> str | None:
        """How the product's report differs from the library's on the folder as it lies; None where it does not."""
        theirs = real.load(type(self.model), self.folder)
        mine = self.predict()
        if not _same_error(theirs.raised, mine.raised, self.folder):
            return f"raises {theirs.raised!r}, predicted {mine.raised!r}"
        if theirs.reported:
            for name in real.SETS:
                a, b = getattr(theirs, name), getattr(mine, name)
                if a != b:
                    return f"{name}: not predicted {sorted(a - b)[:3]}, wrongly predicted {sorted(b - a)[:3]}"
        return None

    def predict(self) -> real.Report:
        reader = get_reader("transformers")
        checkpoint = checkpoint_at(self.folder)
        selection = reader.select(checkpoint, Reading())
        manifest = checkpoint.manifest(selection)
        outcome = reader.load(manifest, self.expectation, checkpoint.config)
        assert outcome.inconclusive is None, outcome.inconclusive
        report = real.predicted(outcome)
        if selection.error is None:
            return report
        return real.Report(*(getattr(report, name) for name in real.SETS), raised=selection.error)


def _same_error(theirs: str | None, mine: str | None, folder: str) -> bool:
    """Equal texts; of an error deep in a file reader only the class and the first words count."""
    if theirs is None or mine is None:
        return theirs is mine
    a, b = (re.sub(re.escape(folder), "FOLDER", text) for text in (theirs, mine))
    if a.startswith(("SafetensorError", "JSONDecodeError")):
        return a.split("(")[0] == b.split("(")[0]
    if "which a conversion rule produces" in b:
        return a.startswith("AttributeError")
    return a == b


@pytest.mark.parametrize("model_type", cases(tiny_models.FEW, tiny_models.TYPES))
def test_damaged_tensors(model_type: str, tmp_path: Path) -> None:
    assert not wrongly_predicted(Saved(tiny_models.build(model_type), tmp_path), model_type)


@pytest.mark.parametrize("model_type", cases(composite_models.FEW, composite_models.TYPES))
def test_damaged_tensors_of_composite_models(model_type: str, tmp_path: Path) -> None:
    assert not wrongly_predicted(Saved(composite_models.build(model_type), tmp_path), model_type)


def wrongly_predicted(saved: Saved, model_type: str) -> dict[str, str]:
    """{kind of damage: what differs}."""
    assert saved.expectation.inconclusive is None, saved.expectation.inconclusive
    wrong = {}
    for name, change in damage.KINDS.items():
        rng = random.Random(model_type + name)
        shards.write(saved.folder, "model.safetensors", change(dict(saved.tensors), rng, saved.model))
        difference = saved.difference()
        if difference is not None:
            wrong[name] = difference
    return wrong


@pytest.mark.parametrize("model_type", SHARDED)
def test_damaged_files(model_type: str, tmp_path: Path) -> None:
    saved = Saved(tiny_models.build(model_type), tmp_path / "model")
    wrong = {}
    for name, write in shards.KINDS.items():
        _fresh(saved, write)
        difference = saved.difference()
        if difference is not None:
            wrong[name] = difference
    assert not wrong


def _fresh(saved: Saved, write: Callable[[str, dict[str, Any]], None]) -> None:
    shutil.rmtree(saved.folder)
    os.makedirs(saved.folder)
    saved.model.config.save_pretrained(saved.folder)
    write(saved.folder, saved.tensors)


def test_the_interpreted_expectation_is_the_real_one(tmp_path: Path) -> None:
    saved = Saved(tiny_models.build("mixtral"), tmp_path)
    live = real.expectation_of(saved.model)
    names = {(f.template, f.axes, f.shape) for f in live.families}
    assert {(f.template, f.axes, f.shape) for f in saved.expectation.families} == names
    assert saved.expectation.private.rules == live.private.rules
