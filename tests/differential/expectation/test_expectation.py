"""What is read from the source equals what the library builds: names, shapes, buffers, ties, ignore lists, rules.

A few model types in every run, all of them with ``pytest -m oracle``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.differential.expectation import real
from tests.differential.expectation.random_configs import random_config
from tests.differential.expectation.read import differing, read

pytestmark = pytest.mark.torch

# One of each kind of construction: dense, MoE, hybrid mixers, shared blocks, towers, encoder-decoder, old style.
_ALWAYS = "llama qwen3_moe qwen3_next jamba zamba2 gemma3n_text gpt2 t5 bamba lfm2 llama4_text mixtral qwen2_5_vl xlm glm5_next"
ALWAYS = frozenset(_ALWAYS.split())
# The layer plan of this one is worked out from tensor values (an assignment problem): refused, not guessed.
REFUSED = {"inkling_mm_model"}


def _cases() -> Iterator[Any]:
    pytest.importorskip("transformers")
    for model_type, name in real.targets():
        marks = () if model_type in ALWAYS else pytest.mark.oracle
        yield pytest.param(model_type, name, id=f"{model_type}-{name}", marks=marks)


def built(model_type: str, name: str, raw: dict[str, Any]) -> Any:
    """The real model, None when the library refuses the configuration."""
    try:
        return real.build(model_type, name, raw)
    except Exception:
        return None


def compare(model_type: str, name: str, raw: dict[str, Any]) -> bool:
    """Assert agreement; False when the library itself refuses this configuration."""
    found = read(name, raw)
    model = built(model_type, name, raw)
    if model is None:
        assert found.families == (), "the library refuses this, we build it"
        return False
    assert (found.inconclusive, found.raises) == (None, None), raw
    assert differing(real.facts(model), found) == [], raw
    return True


@pytest.mark.parametrize(("model_type", "name"), _cases())
def test_default_and_random_configs(model_type: str, name: str) -> None:
    if model_type in REFUSED:
        assert read(name, {"model_type": model_type}).inconclusive is not None
        return
    compare(model_type, name, {"model_type": model_type})
    try:
        full = real.default_config(model_type)
    except Exception:
        return
    rng, agreed, tried = random.Random(f"{model_type}/{name}"), 0, 0
    wanted = 1 if model_type in ALWAYS else 3
    while agreed < wanted and tried < 4 * wanted:
        tried += 1
        agreed += compare(model_type, name, random_config(full, rng, 0.4 / (1 + tried / 8)))
