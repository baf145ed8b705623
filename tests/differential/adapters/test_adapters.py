"""Healthy and damaged adapters, foretold and done."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from tests.differential.adapters import real
from tests.differential.adapters.bases import BASES, OTHERS, Words
from tests.differential.adapters.compare import differences, foretold
from tests.differential.adapters.damage import DAMAGES
from tests.differential.adapters.methods import methods
from tests.differential.adapters.real import Adapter

pytestmark = pytest.mark.torch
_METHODS = tuple(methods(Words()))
_SAMPLE = [("llama", m) for m in ("lora", "dora", "lora_save", "ia3", "prompt")] + [
    *[(base, "lora") for base in ("qwen3_moe", "gemma3", "qwen3_5", "bert")],
    ("gpt2", "lora_mlp"),
]
_SAMPLE_OF_DAMAGE = (
    *("no prefix", "compiled", "adapter name kept", "kohya", "placeholders", "transposed", "no layer 1", "a head"),
    *(
        "r 8",
        "unknown targets",
        "fewer targets",
        "a target as text",
        "another DoRA flag",
        "no saved modules",
        "r as text",
    ),
)


def compared(adapter: Adapter, base: str, folder: Path) -> list[str]:
    answer = foretold(adapter, base)
    assert answer.inconclusive is None, answer.inconclusive
    return differences(real.load(real.write(adapter, folder), base), answer, folder)


def damaged(adapter: Adapter, kind: str) -> Adapter:
    config, tensors = DAMAGES[kind](copy.deepcopy(adapter.config), dict(adapter.tensors))
    return Adapter(adapter.base, config, tensors, adapter.dtypes)


@pytest.mark.parametrize(("base", "method"), _SAMPLE)
def test_what_a_healthy_adapter_does_is_foretold(base: str, method: str, tmp_path: Path) -> None:
    adapter = real.healthy(base, method)
    assert adapter is not None
    assert compared(adapter, base, tmp_path) == []


@pytest.mark.parametrize("kind", _SAMPLE_OF_DAMAGE)
def test_what_a_damaged_adapter_does_is_foretold(kind: str, tmp_path: Path) -> None:
    adapter = real.healthy("llama", "lora_save")
    assert adapter is not None
    assert compared(damaged(adapter, kind), "llama", tmp_path) == []


@pytest.mark.parametrize("base", ["llama_narrow", "llama_deep", "mistral"])
def test_what_it_does_on_another_base_is_foretold(base: str, tmp_path: Path) -> None:
    adapter = real.healthy("llama", "lora")
    assert adapter is not None
    assert compared(adapter, base, tmp_path) == []


@pytest.mark.oracle
@pytest.mark.parametrize(("base", "method"), [(base, method) for base in BASES for method in _METHODS])
def test_every_method_on_every_base(base: str, method: str, tmp_path: Path) -> None:
    adapter = real.healthy(base, method)
    if adapter is None:
        pytest.skip("the real library does not put it on this base")
    assert compared(adapter, base, tmp_path) == []


_OF_LLAMA = "lora lora_save lora_save_both dora lora_embedding lora_ranks ia3 vera prompt"
_DAMAGED = [
    *[("llama", method) for method in _OF_LLAMA.split()],
    *[(base, "lora") for base in BASES if base != "llama"],
    ("qwen3_moe", "lora_experts"),
    ("llama_tied", "lora_save_both"),
]


@pytest.mark.oracle
@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize(("base", "method"), _DAMAGED)
def test_every_damage(base: str, method: str, kind: str, tmp_path: Path) -> None:
    adapter = real.healthy(base, method)
    assert adapter is not None
    made = damaged(adapter, kind)
    if made == adapter:
        pytest.skip("this damage does not touch it")
    assert compared(made, base, tmp_path) == []


@pytest.mark.oracle
@pytest.mark.parametrize("other", [*OTHERS, *BASES])
@pytest.mark.parametrize(
    ("base", "method"), [("llama", "lora"), ("llama", "lora_save"), ("gemma3", "lora"), ("qwen3_moe", "lora")]
)
def test_every_other_base(base: str, method: str, other: str, tmp_path: Path) -> None:
    adapter = real.healthy(base, method)
    assert adapter is not None
    assert compared(adapter, other, tmp_path) == []
