"""Lists of modules that a quantization leaves alone, compared as each release compares them."""

from __future__ import annotations

import pytest

from loadproof.config.skip_list import skip_list

AXES = ((0, 1, 2), (0, 1))
NAME = "model.layers.{}.mlp.experts.{}.gate_proj"


def kept(method: str, entries: list[str], template: str = NAME, axes=AXES, release: str = "5.24.0"):
    field = {"compressed-tensors": "ignore", "bitsandbytes_4bit": "llm_int8_skip_modules"}.get(
        method, "modules_to_not_convert"
    )
    return [box for _, box in skip_list(method, {field: entries}, release).kept(template, axes)]


@pytest.mark.parametrize(
    ("method", "entry", "boxes"),
    [
        ("fp8", "model.layers.1", [((1,), (0, 1))]),
        ("fp8", "model.layers.1.mlp.experts.0.gate_proj", [((1,), (0,))]),
        ("fp8", "experts.1.gate_proj", [((0, 1, 2), (1,))]),
        ("fp8", "gate_proj", [AXES]),
        ("fp8", "model.layers.7", []),
        ("fp8", "mlp", []),
        ("fp8", "model.layers.[12].*", [((1, 2), (0, 1))]),
        ("compressed-tensors", "model.layers.1", []),
        ("compressed-tensors", "model.layers.1.mlp.experts.0.gate_proj", [((1,), (0,))]),
        ("compressed-tensors", "re:.*gate_proj$", [AXES]),
        ("compressed-tensors", "re:.*layers\\.2\\..*", [((2,), (0, 1))]),
        ("compressed-tensors", "gate_proj", []),
        ("compressed-tensors", "re:(a+)+$", []),
        ("fp8", "(", []),
    ],
)
def test_an_entry_names_these_modules(method: str, entry: str, boxes) -> None:
    assert kept(method, [entry]) == boxes


def test_an_entry_has_no_end_before_5_9() -> None:
    """huggingface/transformers 5.8.1: `mlp.gate` also keeps `mlp.gate_proj` dense."""
    entry, name = "model.layers.0.mlp.gate", "model.layers.{}.mlp.gate_proj"
    assert kept("fp8", [entry], name, ((0, 1),), "5.24.0") == []
    for release in ("5.8.1", "5.2.0", "4.57.1"):
        assert kept("fp8", [entry], name, ((0, 1),), release) == [((0,),)]


def test_the_older_spelling_of_the_field_counts() -> None:
    assert skip_list("fp8", {"ignored_layers": ["lm_head"]}, "5.24.0").entries == ("lm_head",)
    assert not skip_list("fp8", {}, "5.24.0").given
