"""Every reader of the table keeps the protocol, on a checkpoint that loads and on whatever else lies there."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

from loadproof.api import check
from loadproof.core.checkpoint import Problem
from loadproof.core.reading import Reading
from loadproof.formats import checkpoint_at
from loadproof.readers import READERS, get_reader
from loadproof.readers.base import Reader
from loadproof.readers.plain import PlainReader
from loadproof.storage.memory import Memory
from tests import zoo

Write = Callable[[Path, bool], Path]


def llama(folder: Path, whole: bool) -> Path:
    return zoo.build("llama").mutate(*(() if whole else (zoo.drop("model.norm.weight"),))).write(folder)


def lora(folder: Path, whole: bool) -> Path:
    lost = "base_model.model.model.layers.*.self_attn.q_proj.lora_A.weight"
    made = zoo.build("llama").mutate(zoo.lora(["q_proj", "v_proj"]))
    return (made if whole else made.mutate(zoo.drop(lost))).write(folder)


# For every reader what writes a checkpoint that it loads, or one without some parameters, and the template of these.
# Whoever adds a reader adds its line here.
EXAMPLES: dict[str, tuple[Write, str]] = {
    "transformers": (llama, "model.norm.weight"),
    "peft": (lora, "base_model.model.model.layers.{}.self_attn.q_proj.lora_A.default.weight"),
}
ODD = {
    "nothing": {},
    "no JSON": {"config.json": b"\xff{"},
    "an empty config": {"config.json": b"{}"},
    "numbers for words": {"config.json": b'{"model_type": 7, "architectures": 8, "num_hidden_layers": "x"}'},
    "no weight file": {"config.json": b'{"model_type": "llama"}', "model.safetensors": b"<html>"},
    "an index of nothing": {"config.json": b"{}", "model.safetensors.index.json": b"[]"},
}


def test_every_reader_has_an_example() -> None:
    assert set(EXAMPLES) == set(READERS)


def test_an_unknown_reader_is_named() -> None:
    with pytest.raises(ValueError, match=f"known: {', '.join(READERS)}"):
        get_reader("nobody")


@pytest.mark.parametrize("name", READERS)
def test_it_has_the_methods_of_the_protocol(name: str) -> None:
    reader = get_reader(name)
    assert reader.name == name
    for method, stated in inspect.getmembers(Reader, inspect.isfunction):
        if not method.startswith("_"):
            mine = inspect.signature(getattr(type(reader), method))
            assert list(mine.parameters) == list(inspect.signature(stated).parameters), method


@pytest.mark.parametrize("name", READERS)
def test_its_example_loads_and_misses_what_is_taken_away(name: str, tmp_path: Path) -> None:
    write, lost = EXAMPLES[name]
    assert check(write(tmp_path / "whole", True), reader=name).verdict == "loads"
    report = check(write(tmp_path / "without", False), reader=name)
    assert report.verdict in ("loads-wrong", "fails")
    assert [row.template for row in report.case.outcome.rows if row.kind == "missing"] == [lost]


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("files", ODD.values(), ids=ODD)
def test_what_is_no_checkpoint_is_an_answer_and_no_exception(name: str, files: dict[str, bytes]) -> None:
    reader, checkpoint = get_reader(name), checkpoint_at(Memory(files))
    selection = reader.select(checkpoint, Reading(name))
    expectation = reader.build(checkpoint, Reading(name))
    outcome = reader.load(checkpoint.manifest(selection), expectation, checkpoint.config)
    assert outcome.raises or outcome.inconclusive or outcome.rows or not expectation.families
    with reader.building(checkpoint, Reading(name)) as answer:
        assert answer() == expectation


@pytest.mark.parametrize("name", READERS)
def test_a_fault_that_it_does_not_know_is_taken(name: str) -> None:
    assert get_reader(name).react(Problem("LP099", "no such file", "nothing", detail="unheard-of")) is None


def test_a_plain_reader_brings_all_but_four_methods() -> None:
    stated = {name for name, _ in inspect.getmembers(Reader, inspect.isfunction) if not name.startswith("_")}
    assert stated - vars(PlainReader).keys() == {"select", "build", "load", "react"}
