"""The promises that `make fuzz` holds every parser to, on a few inputs in every run of the suite."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.run import mutant
from tests.fuzz.targets import TARGETS

pytest.importorskip("safetensors")
SEEDS = {name: target.seeds() for name, target in TARGETS.items()}


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=60, deadline=1000, database=None)
@given(number=st.integers(min_value=0), damage=st.integers(min_value=0))
def test_a_parser_keeps_its_promise_on_damaged_input(name: str, number: int, damage: int) -> None:
    target, seeds = TARGETS[name], SEEDS[name]
    target.check(mutant(random.Random(damage), target, seeds[number % len(seeds)]))


@pytest.mark.parametrize("name", ["header", "index", "config"])
@settings(max_examples=60, deadline=1000, database=None)
@given(content=st.binary(max_size=300))
def test_a_parser_keeps_its_promise_on_any_bytes(name: str, content: bytes) -> None:
    TARGETS[name].check(content)
