"""Tied tensors that are stored twice: equal, different, too large to be read whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api import check
from loadproof.core.checkpoint import TieValue
from loadproof.formats import ties
from tests import zoo
from tests.zoo.mutations import Mutation


def compared(folder: Path, *mutations: Mutation) -> tuple[TieValue, ...]:
    made = zoo.build("llama_tied").mutate(*mutations)
    return check(made.write(folder / "model")).case.tie_values


def test_equal_bytes_are_equal(tmp_path: Path) -> None:
    (pair,) = compared(tmp_path, zoo.copy_tensor("model.embed_tokens.weight", "lm_head.weight"))
    assert (pair.target, pair.source) == ("lm_head.weight", "model.embed_tokens.weight")
    assert (pair.equal, pair.complete) == (True, True)


def test_other_bytes_are_different(tmp_path: Path) -> None:
    (pair,) = compared(tmp_path, zoo.copy_tensor("model.embed_tokens.weight", "lm_head.weight", False))
    assert pair.equal is False


def test_other_types_are_not_compared(tmp_path: Path) -> None:
    copy = zoo.copy_tensor("model.embed_tokens.weight", "lm_head.weight")
    (pair,) = compared(tmp_path, copy, zoo.cast("lm_head.weight", "F32"))
    assert pair.equal is None


def test_a_tie_stored_once_is_nothing_to_compare(tmp_path: Path) -> None:
    assert compared(tmp_path) == ()


def test_equal_samples_of_a_large_tensor_prove_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ties, "WHOLE", 1024)
    monkeypatch.setattr(ties, "SAMPLE", 32)
    (pair,) = compared(tmp_path, zoo.copy_tensor("model.embed_tokens.weight", "lm_head.weight"))
    assert (pair.equal, pair.complete) == (True, False)


def test_samples_reach_the_first_and_the_last_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ties, "WHOLE", 1024)
    monkeypatch.setattr(ties, "SAMPLE", 32)
    ranges = list(ties._ranges(10_000))
    assert ranges[0] == (0, 32)
    assert sum(ranges[-1]) == 10_000
