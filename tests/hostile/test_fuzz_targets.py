"""The promises that `make fuzz` holds every parser to, on a few inputs in every run of the suite."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.run import mutant
from tests.fuzz.targets import _DEPTHS, TARGETS

pytest.importorskip("safetensors")
SEEDS = {name: target.seeds() for name, target in TARGETS.items()}


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=60, deadline=None, database=None)
@given(number=st.integers(min_value=0), damage=st.integers(min_value=0))
def test_a_parser_keeps_its_promise_on_damaged_input(name: str, number: int, damage: int) -> None:
    target, seeds = TARGETS[name], SEEDS[name]
    target.check(mutant(random.Random(damage), target, seeds[number % len(seeds)]))


@pytest.mark.parametrize("name", ["header", "index", "config"])
@settings(max_examples=60, deadline=None, database=None)
@given(content=st.binary(max_size=300))
def test_a_parser_keeps_its_promise_on_any_bytes(name: str, content: bytes) -> None:
    TARGETS[name].check(content)


def test_programs_get_as_far_as_the_model() -> None:
    """A fuzzer whose inputs all end at an import tests the import."""
    before = dict(_DEPTHS.counts)
    rng = random.Random(1)
    for _ in range(100):
        TARGETS["source"].check(mutant(rng, TARGETS["source"], rng.choice(SEEDS["source"])))
    reached = {name: count - before[name] for name, count in _DEPTHS.counts.items()}
    assert reached["inputs"] == 100
    assert reached["over 20 steps"] >= 5
    assert reached["built a model"] >= 2
