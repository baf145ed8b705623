"""What modules hold, by their tensors alone."""

from __future__ import annotations

import pytest

from loadproof.core.families import fold
from loadproof.core.tensors import Family
from loadproof.lexicon.layouts import layouts
from loadproof.quantization.census import take_census
from tests import zoo
from tests.timing import at_most, cpu_seconds
from tests.zoo.checkpoint import Checkpoint
from tests.zoo.quantizers import methods, mx_affine, nvfp4, quantized, scaled_fp8, tinygemm, torchao_int8


def families_of(checkpoint: Checkpoint) -> list[Family]:
    found = fold((name, (t.dtype, t.shape)) for name, t in checkpoint.tensors.items())
    return [Family(template, axes, *key) for template, axes, key in found]


NAMES = {
    "fp8": "fp8", "fp8-tensor": "fp8", "bnb-4bit": "bitsandbytes-4bit", "bnb-8bit": "bitsandbytes-8bit", "gptq": "gptq",
    "awq": "awq-gemm", "pack-quantized": "pack-quantized", "float-quantized": "float-quantized",
    "int-quantized": "int-quantized", "nvfp4": "nvfp4-pack-quantized",
}  # fmt: skip


@pytest.mark.parametrize("method", NAMES)
@pytest.mark.parametrize("model", ["llama", "qwen3_moe", "qwen3_vl"])
def test_every_method_is_recognised_without_its_config(model: str, method: str) -> None:
    made = quantized(zoo.build(model).mutate(zoo.packable()), methods()[method], "*layers.*_proj.weight")
    number = sum(name.endswith("_proj.weight") and "layers" in name for name in zoo.build(model).tensors)
    census = take_census(families_of(made))
    assert census.of_layout() == {NAMES[method]: number}
    assert all(module.match is not None and module.match.whole for module in census.packed)


@pytest.mark.parametrize(
    ("pack", "name"),
    [
        (mx_affine("*_proj.weight"), "mlx-affine"),
        (nvfp4("*_proj.weight", "modelopt"), "modelopt-nvfp4"),
        (scaled_fp8("*_proj.weight", "scalar", True), "float-quantized"),
        (tinygemm("*_proj.weight"), "tinygemm"),
        (torchao_int8("*_proj.weight"), "torchao"),
    ],
)
def test_layouts_of_other_readers_are_recognised(pack, name: str) -> None:
    census = take_census(families_of(zoo.build("llama").mutate(zoo.packable(), pack)))
    assert set(census.of_layout()) == {name}


@pytest.mark.parametrize("name", zoo.names())
def test_a_dense_model_holds_no_packed_module(name: str) -> None:
    assert not take_census(families_of(zoo.build(name))).packed


def test_sizes_follow_from_the_shapes() -> None:
    made = zoo.build("llama").mutate(zoo.packable(), zoo.gptq("*_proj.weight", 8, 16))
    module = next(m for m in take_census(families_of(made)).packed if m.template.endswith("up_proj"))
    assert module.match is not None
    assert {key: module.match.sizes[key] for key in ("O", "I", "b", "I/g")} == {"O": 160, "I": 96, "b": 8, "I/g": 6}


def test_a_square_matrix_tells_gptq_from_awq() -> None:
    for pack, name in ((zoo.gptq, "gptq"), (zoo.awq, "awq-gemm")):
        made = zoo.build("llama").mutate(zoo.packable(), zoo.keep("*o_proj.weight"), pack("*", 4, 32))
        assert set(take_census(families_of(made)).of_layout()) == {name}


def test_lost_parts_are_named_for_the_modules_that_lack_them() -> None:
    made = zoo.build("llama").mutate(
        zoo.packable(), zoo.gptq("*_proj.weight"), zoo.drop("*layers.2.mlp.up_proj.scales")
    )
    lacking = [m for m in take_census(families_of(made)).packed if m.match is not None and m.match.lacking]
    assert [(m.template, m.axes, m.match.lacking) for m in lacking if m.match] == [
        ("model.layers.{}.mlp.up_proj", ((2,),), ("scales",))
    ]


@pytest.mark.parametrize("word", ["scale", "biases", "codes", "meta"])
def test_a_parameter_of_the_model_with_the_name_of_a_companion_is_none(word: str) -> None:
    found = take_census([Family(f"model.layers.{{}}.router.{word}", ((0, 1),), "BF16", (8,))])
    assert not found.packed


def test_each_layout_says_how_its_own_parts_are_shaped() -> None:
    for layout in layouts().values():
        assert {layout.packed, layout.scale, *layout.requires, *layout.activations, *layout.free} <= set(layout.tensors)
        assert set(layout.aliases.values()) | set(layout.instead) | set(layout.instead.values()) <= set(layout.tensors)
        assert not layout.zero or layout.zero in layout.tensors
        assert layout.applies_to
        assert all(layout.shapes(name) for name in layout.tensors)


def test_two_hundred_thousand_tensors_are_looked_at_by_family() -> None:
    axes = (tuple(range(87)), tuple(range(384)))
    names = [f"model.layers.{{}}.mlp.experts.{{}}.{part}_proj" for part in ("gate", "up", "down")]
    families = [Family(f"{name}.weight", axes, "F8_E4M3", (2048, 4096)) for name in names]
    families += [Family(f"{name}.weight_scale_inv", axes, "F32", (16, 32)) for name in names]
    with at_most(seconds=1):  # one look at each of 200,000 names would take longer
        census = take_census(families)
    assert census.of_layout() == {"fp8": 3 * 87 * 384}


def test_time_grows_with_the_number_of_families() -> None:
    def seconds(number: int) -> float:
        families = [Family(f"m{n}.weight", ((n,),), "F8_E4M3", (8, 8)) for n in range(number)]
        families += [Family("m.{}.weight_scale", ((n,),), "BF16", (n + 1, 1)) for n in range(number)]
        return cpu_seconds(lambda: take_census(families))

    small, large = seconds(1_000), seconds(8_000)
    assert large < 8 * 3 * max(small, 0.005)
