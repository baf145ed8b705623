"""Conversion operations on shapes equal the library's operations on tensors, errors included."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadproof.core.loading import Operation
from loadproof.core.tensors import Shape
from loadproof.readers.transformers.operations import OPERATIONS, run
from loadproof.readers.transformers.shapes import ConversionError, Target, Unknown

pytestmark = pytest.mark.torch
SHAPES = st.one_of(
    st.just((4, 6)),
    st.lists(st.sampled_from([1, 2, 3, 4, 6, 8]), min_size=1, max_size=3).map(tuple),
    st.just((2, 2, 2, 1, 3)),
)
DIMS = st.sampled_from([0, 0, 1, 1, 2, -1])
CONFIG: dict[str, Any] = {"num_attention_heads": 2, "unpadded_vocab_size": 3, "parts": 3}
OPS = st.one_of(
    st.builds(lambda d: Operation("MergeModulelist", {"dim": d}), st.sampled_from([0, 0, 1])),
    st.builds(lambda d: Operation("Concatenate", {"dim": d}), DIMS),
    st.builds(lambda d: Operation("Chunk", {"dim": d}), DIMS),
    st.builds(lambda d: Operation("Chunk", {"dim": d, "num_shards_attribute": "parts"}), DIMS),
    st.builds(lambda d: Operation("Split", {"dim": d}), DIMS),
    st.builds(
        lambda a, b, c: Operation("Transpose", {"dim0": a, "dim1": b, "check_dims": c}), DIMS, DIMS, st.booleans()
    ),
    st.builds(lambda d: Operation("Interleave", {"dim": d}), st.sampled_from([0, 1, 2])),
    st.just(Operation("PermuteForRope", {})),
    st.just(Operation("Inkling2UnpadVocab", {})),
    st.just(Operation("Conv3dToLinear", {"in_channels": 2, "kernel_size": (2, 1, 3)})),
    st.just(Operation("LinearToConv3d", {"in_channels": 2, "kernel_size": (1, 1, 1)})),
    st.just(Operation("ErnieFuseAndSplitTextVisionExperts", {"stack_dim": 0, "concat_dim": 1})),
)
LAYOUTS = st.sampled_from(
    [(("s.*.a",), ("t",)), (("s.*.a", "s.*.b"), ("t",)), (("s",), ("t", "u")), (("s.*.a", "s.*.b"), ("t", "u"))]
)


def really(operation: Operation, inputs: dict[str, list[Shape]], at: Target) -> dict[str, Shape]:
    import torch
    import transformers.core_model_loading as library

    real = getattr(library, operation.name)(**operation.arguments)
    config = SimpleNamespace(**CONFIG)
    config.get_text_config = lambda: config

    def parameter(name: str) -> Any:
        shape = at.shape_of(name)
        if shape is None:
            raise AttributeError(name)
        return torch.empty(shape)

    tensors = {key: [torch.zeros(shape) for shape in shapes] for key, shapes in inputs.items()}
    out = real.convert(
        tensors,
        source_patterns=list(at.sources),
        target_patterns=list(at.targets),
        full_layer_name=at.name,
        model=SimpleNamespace(get_parameter=parameter),
        config=config,
    )
    first = {key: value[0] if isinstance(value, list) else value for key, value in out.items()}
    return {key: tuple(value.shape) for key, value in first.items()}


@given(OPS, LAYOUTS, st.data())
@settings(max_examples=200, deadline=None)
def test_shapes_equal_those_of_the_real_operation(operation: Operation, layout: Any, data: st.DataObject) -> None:
    sources, targets = layout
    used = data.draw(st.sampled_from([sources, sources[:1]]))
    same = data.draw(SHAPES)
    shapes = st.lists(st.one_of(st.just(same), st.just(same), SHAPES), min_size=1, max_size=4)
    inputs = {key: data.draw(shapes) for key in used}
    parameters = {"x.t": data.draw(SHAPES), "x.u": data.draw(SHAPES)}
    at = Target("x.t", sources, targets, parameters.get, CONFIG)
    try:
        wanted: dict[str, Shape] | str = really(operation, inputs, at)
    except Exception:
        wanted = "error"
    try:
        found: Any = {key: tensors[0] for key, tensors in run(operation, dict(inputs), at).items()}
    except ConversionError:
        found = "error"
    assert found == wanted


def test_every_operation_of_the_library_is_known_or_named() -> None:
    import transformers.core_model_loading as library

    base = library.ConversionOps
    names = {name for name, kind in vars(library).items() if isinstance(kind, type) and issubclass(kind, base)}
    only_on_save = {"SplitModulelist", "ErnieSplitAndDecoupleTextVisionExperts", "_IdentityOp"}
    not_modelled = {"Inkling2LoopDequantizeExperts", "Inkling2LoopMergeMessageQueries"}
    assert names - {"ConversionOps"} == set(OPERATIONS) | only_on_save | not_modelled


@pytest.mark.parametrize("name", sorted(set(OPERATIONS) - {"VisionFuseAndPermuteForRope"}))
def test_unknown_shapes_stay_unknown(name: str) -> None:
    arguments = {"LinearToConv3d": {"in_channels": 1, "kernel_size": (1, 1, 1)}}.get(name, {})
    at = Target("x.t", ("s",), ("t",), {"x.t": (2, 2)}.get, CONFIG)
    for tensors in run(Operation(name, arguments), {"s": [Unknown()]}, at).values():
        assert all(isinstance(tensor, Unknown) for tensor in tensors)
