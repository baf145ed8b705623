"""Transformers 4: one mapping of names for the whole checkpoint."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from loadproof.core.checkpoint import FileInfo, Manifest
from loadproof.core.expectation import Expectation
from loadproof.core.families import join_name, names_of
from loadproof.core.loading import ConversionRule
from loadproof.core.outcome import Outcome
from loadproof.core.tensors import Shape
from loadproof.readers.transformers.mapping import KeyMapping
from loadproof.readers.transformers.pieces import spelled, start
from loadproof.readers.transformers.predict_v4 import predict_v4
from tests.readers.build import expectation, manifest
from tests.readers.test_families_equal_names import NAME_LISTS

MODEL: dict[str, Shape] = {**{f"model.layers.{i}.w": (2,) for i in range(2)}, "lm_head.w": (4,)}
MAPPINGS = st.lists(
    st.tuples(
        st.sampled_from(
            [r"^model\.", r"^layers", "norm", r"layers\.(\d)\.", "1", r"experts\.(\d+)", "^(?!model)", "w1"]
        ),
        st.sampled_from(["x", "model.", "", "0", "norm."]),
    ),
    min_size=1,
    max_size=3,
)


def of(model: dict[str, Shape], **more: object) -> Expectation:
    return expectation(model, base_model_prefix="model", **more)


def sets(outcome: Outcome) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for row in outcome.rows:
        found.setdefault(row.kind, set()).update(names_of(row.template, row.axes))
    return found


def renamed(name: str, pairs: list[tuple[str, str]]) -> str:
    for pattern, replacement in pairs:
        new, number = re.subn(pattern, replacement, name)
        if number:
            return new
    return name


@given(NAME_LISTS, MAPPINGS, st.booleans())
@settings(max_examples=200, deadline=None)
def test_mapping_families_equals_mapping_names(names: list[str], pairs: list[tuple[str, str]], groups: bool) -> None:
    if groups:
        pairs = [(p, r"y.\1") if re.compile(p).groups else (p, r) for p, r in pairs]
    mapping = KeyMapping(pairs)
    out = {}
    for piece in mapping.apply([p for f in manifest(dict.fromkeys(names, (1,))).families for p in start(f)]):
        singles: list[tuple[int, ...]] = [()]
        for axis in piece.axes:
            singles = [(*head, i) for head in singles for i in axis]
        for at in singles:
            out[join_name(piece.family.template, at)] = spelled(piece.form, tuple((i,) for i in at))
    assert out == {name: renamed(name, pairs) for name in names}


def test_a_checkpoint_without_the_prefix_gets_it_everywhere() -> None:
    outcome = predict_v4(manifest({"layers.0.w": (2,), "layers.1.w": (2,), "odd": (1,)}), of(MODEL))
    assert sets(outcome) == {"missing": {"lm_head.w"}, "unexpected": {"odd"}}


def test_a_task_key_in_a_base_checkpoint_is_refused() -> None:
    outcome = predict_v4(manifest({"layers.0.w": (2,), "lm_head.w": (4,)}), of(MODEL))
    assert outcome.raises
    assert outcome.error is not None
    assert outcome.error.startswith(
        "ValueError: The state dictionary of the model you are trying to load is corrupted."
    )


def test_a_base_class_drops_the_head_of_a_task_checkpoint() -> None:
    base: dict[str, Shape] = {"layers.0.w": (2,)}
    outcome = predict_v4(manifest({"model.layers.0.w": (2,), "lm_head.w": (4,)}), of(base))
    assert sets(outcome) == {"unexpected": {"lm_head.w"}}


def test_a_module_name_does_not_rescue_a_stray_prefix() -> None:
    outcome = predict_v4(manifest({**MODEL, "layers.1.w": (2,)}), of(MODEL))
    assert sets(outcome) == {"unexpected": {"layers.1.w"}}


def test_old_norm_names_are_renamed_at_the_end_only() -> None:
    model: dict[str, Shape] = {"model.LayerNorm.weight": (1,), "model.LayerNorm.bias": (1,)}
    outcome = predict_v4(manifest({"model.LayerNorm.gamma": (1,), "model.LayerNorm.beta": (1,)}), of(model))
    assert outcome.rows == ()


def test_the_first_mapping_that_matches_is_the_only_one() -> None:
    rules = (ConversionRule("KeyMapping", ("^language_model", "^model"), ("model", "x"), ""),)
    outcome = predict_v4(manifest({"language_model.layers.0.w": (2,)}), expectation({"model.layers.0.w": (2,)}, *rules))
    assert sets(outcome) == {}


def test_one_stored_member_fills_a_tied_group() -> None:
    model: dict[str, Shape] = {"model.a": (1,), "model.b": (1,), "model.c": (1,)}
    wanted = of(model, ties=(("model.a", "model.b"), ("model.c", "model.b")))
    outcome = predict_v4(manifest({"model.c": (1,)}), wanted)
    assert (sets(outcome), outcome.tied) == ({}, (("model.a", "model.c"), ("model.b", "model.c")))


def test_a_shape_difference_is_raised_by_torch() -> None:
    outcome = predict_v4(manifest({**MODEL, "lm_head.w": (5,)}), _old(MODEL))
    assert outcome.error == (
        "RuntimeError: Error(s) in loading state_dict for lm_head: size mismatch for w: copying a param with shape "
        "torch.Size([5]) from checkpoint, the shape in current model is torch.Size([4])."
    )


def _old(model: dict[str, Shape]) -> Expectation:
    from msgspec.structs import replace

    return replace(of(model), version="4.57.1")


def test_metadata_without_a_format_is_refused() -> None:
    found = manifest(MODEL)
    loaded = Manifest(
        "safetensors", (FileInfo("model.safetensors", 1, "safetensors"),), found.families, 3, 0,
        metadata={"model.safetensors": {"tool": "x"}},
    )  # fmt: skip
    outcome = predict_v4(loaded, of(MODEL))
    assert outcome.error == (
        "ValueError: Incompatible safetensors file. File metadata is not ['pt', 'tf', 'flax', 'mlx'] but None"
    )
