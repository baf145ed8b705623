"""A quantizer's tensors are set aside; everything dense is still judged."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from loadproof.core.checkpoint import Manifest
from loadproof.core.config import ModelConfig
from loadproof.core.families import names_of
from loadproof.core.outcome import Outcome
from loadproof.core.tensors import Family, Shape
from loadproof.readers import get_reader
from loadproof.readers.transformers.quantized import NO_METHOD, declared
from tests.readers.build import EXPERTS, expectation

MODEL: dict[str, Shape] = {
    **{f"model.layers.{i}.{p}_proj.weight": (8, 8) for i in range(3) for p in "qk"},
    **{f"model.layers.{i}.norm.weight": (8,) for i in range(3)},
    "lm_head.weight": (16, 8),
}
LAYERS = ((0, 1, 2),)
NORM = Family("model.layers.{}.norm.weight", LAYERS, "F32", (8,))
HEAD = Family("lm_head.weight", (), "F32", (16, 8))
DENSE = [*(Family(f"model.layers.{{}}.{p}_proj.weight", LAYERS, "F32", (8, 8)) for p in "qk"), NORM, HEAD]


def packed(method: str) -> list[Family]:
    """The q and k projections of every layer, as each method stores them."""
    parts: dict[str, dict[str, tuple[str, Shape]]] = {
        "gptq": {
            "qweight": ("I32", (1, 8)),
            "qzeros": ("I32", (1, 1)),
            "scales": ("F16", (1, 8)),
            "g_idx": ("I32", (8,)),
        },
        "awq": {"qweight": ("I32", (8, 1)), "qzeros": ("I32", (1, 1)), "scales": ("F16", (1, 8))},
        "bitsandbytes": {
            "weight": ("U8", (32, 1)),
            "weight.absmax": ("U8", (1,)),
            "weight.quant_map": ("F32", (16,)),
            "weight.nested_absmax": ("F32", (1,)),
            "weight.nested_quant_map": ("F32", (256,)),
            "weight.quant_state.bitsandbytes__nf4": ("U8", (99,)),
        },
        "fp8": {"weight": ("F8_E4M3", (8, 8)), "weight_scale_inv": ("F32", (1, 1))},
        "compressed-tensors": {
            "weight_packed": ("I32", (8, 1)),
            "weight_scale": ("BF16", (8, 1)),
            "weight_shape": ("I64", (2,)),
        },
        "modelopt": {"weight": ("U8", (8, 4)), "weight_scale": ("F8_E4M3", (8, 1)), "weight_scale_2": ("F32", ())},
        "someday": {},
    }
    return [
        Family(f"model.layers.{{}}.{p}_proj.{part}", LAYERS, dtype, shape)
        for p in "qk"
        for part, (dtype, shape) in parts[method].items()
    ]


def judge(
    families: list[Family],
    raw: dict[str, Any],
    model: dict[str, Shape] = MODEL,
    known: tuple[str, ...] | None = None,
) -> Outcome:
    loaded = Manifest("safetensors", (), tuple(families), 0, 0)
    expected = replace(expectation(model, *EXPERTS), quantizers=known)
    return get_reader("transformers").load(loaded, expected, ModelConfig("config.json", raw))


def rows(outcome: Outcome) -> set[tuple[str, str]]:
    return {(row.kind, name) for row in outcome.rows for name in names_of(row.template, row.axes)}


METHODS = ["gptq", "awq", "bitsandbytes", "fp8", "compressed-tensors", "modelopt"]


@pytest.mark.parametrize("method", METHODS)
def test_a_complete_quantized_set_has_no_rows_and_no_verdict(method: str) -> None:
    outcome = judge([*packed(method), NORM, HEAD], {"quantization_config": {"quant_method": method}})
    assert outcome.rows == ()
    assert outcome.inconclusive == f"quantized with {method}: packed tensors are not judged yet"
    assert {family.template for family in outcome.quantized} == {family.template for family in packed(method)}
    assert {a.target for a in outcome.assignments} == {"model.layers.{}.norm.weight", "lm_head.weight"}


@pytest.mark.parametrize("method", METHODS)
def test_dense_faults_beside_packed_tensors_are_seen(method: str) -> None:
    norm = Family("model.layers.{}.norm.weight", ((0, 2),), "F32", (8,))
    head = Family("lm_head.weight", (), "F32", (15, 8))
    foreign = Family("vision.tower.weight", (), "F32", (1,))
    outcome = judge([*packed(method), norm, head, foreign], {"quantization_config": {"quant_method": method}})
    assert rows(outcome) == {
        ("missing", "model.layers.1.norm.weight"),
        ("mismatched", "lm_head.weight"),
        ("unexpected", "vision.tower.weight"),
    }


def test_a_module_with_neither_form_is_missing() -> None:
    some = [family for family in packed("gptq") if ".q_proj." in family.template]
    outcome = judge([*some, NORM, HEAD], {"quantization_config": {"quant_method": "gptq"}})
    assert rows(outcome) == {("missing", f"model.layers.{i}.k_proj.weight") for i in range(3)}


def test_a_companion_we_do_not_know_is_not_called_unexpected() -> None:
    odd = Family("model.layers.{}.q_proj.weight_zzz", LAYERS, "F32", (1,))
    outcome = judge([*packed("fp8"), odd, NORM, HEAD], {"quantization_config": {"quant_method": "fp8"}})
    assert outcome.rows == ()


def test_packed_experts_reach_their_stack() -> None:
    model: dict[str, Shape] = {
        "model.layers.0.mlp.experts.gate_up_proj": (2, 8, 6),
        "model.layers.0.mlp.experts.down_proj": (2, 6, 4),
    }
    families = [
        Family(f"model.layers.{{}}.mlp.experts.{{}}.{w}.{part}", ((0,), (0, 1)), "I32", (1, 1))
        for w in ("w1", "w2", "w3")
        for part in ("qweight", "scales")
    ]
    outcome = judge(families, {"quantization_config": {"quant_method": "gptq"}}, model)
    assert (outcome.rows, outcome.raises) == ((), False)


def test_blocks_and_scales_stand_for_their_parameter() -> None:
    model: dict[str, Shape] = {"model.layers.0.mlp.experts.gate_up_proj": (2, 8, 6)}
    families = [
        Family(f"model.layers.{{}}.mlp.experts.gate_up_proj{part}", ((0,),), "U8", (2, 1))
        for part in ("_blocks", "_scales")
    ]
    assert judge(families, {"quantization_config": {"quant_method": "mxfp4"}}, model).rows == ()


def test_the_text_part_may_declare_it() -> None:
    assert (
        declared(ModelConfig(None, {"text_config": {"quantization_config": {"quant_method": "fp8"}}})).method == "fp8"
    )


def test_an_entry_without_a_method_raises_and_names_are_still_judged() -> None:
    families = [*(f for f in packed("gptq") if f.template.endswith("scales")), NORM, HEAD]
    outcome = judge(families, {"quantization_config": {"group_size": 64, "bits": 4}})
    assert (outcome.raises, outcome.error, outcome.inconclusive) == (True, NO_METHOD, None)
    assert ("unexpected", "model.layers.0.q_proj.scales") in rows(outcome)


@pytest.mark.parametrize("entry", [None, {}, {"quant_method": "nobody's"}])
def test_an_entry_the_library_skips_changes_nothing(entry: Any) -> None:
    outcome = judge([*packed("fp8"), NORM, HEAD], {"quantization_config": entry}, known=("fp8", "gptq"))
    assert outcome.inconclusive is None
    assert ("misread", "model.layers.2.k_proj.weight") in rows(outcome)
    assert ("unexpected", "model.layers.2.k_proj.weight_scale_inv") in rows(outcome)


def test_bitsandbytes_is_known_by_its_flags() -> None:
    assert declared(ModelConfig(None, {"quantization_config": {"load_in_4bit": True}})).method == "bitsandbytes_4bit"
    without = ModelConfig(None, {"quantization_config": {"quant_method": "bitsandbytes"}})
    assert declared(without, ("bitsandbytes_4bit", "bitsandbytes_8bit")).method is None


def test_a_method_that_is_no_word_raises_as_the_lookup_does() -> None:
    config = ModelConfig(None, {"quantization_config": {"quant_method": ["fp8"]}})
    assert declared(config, ("fp8",)).error == "TypeError: unhashable type: 'list'"


@pytest.mark.parametrize("dtype", ["F8_E4M3", "F8_E5M2", "I8", "U8", "I32", "U32"])
def test_packed_numbers_in_a_float_parameter_are_misread(dtype: str) -> None:
    head = Family("lm_head.weight", (), dtype, (16, 8))
    outcome = judge([*(f for f in DENSE if f is not HEAD), head], {})
    assert rows(outcome) == {("misread", "lm_head.weight")}
    assert not outcome.raises


@pytest.mark.parametrize("dtype", ["F64", "BF16"])
def test_wide_numbers_are_read_as_what_they_are(dtype: str) -> None:
    head = Family("lm_head.weight", (), dtype, (16, 8))
    assert judge([*(f for f in DENSE if f is not HEAD), head], {}).rows == ()


@pytest.mark.parametrize("dtype", ["I64", "U64", "BOOL", "C64"])
def test_what_is_no_real_number_is_misread_as_a_weight_and_kept_as_a_count(dtype: str) -> None:
    head = Family("lm_head.weight", (), dtype, (16, 8))
    assert rows(judge([*(f for f in DENSE if f is not HEAD), head], {})) == {("misread", "lm_head.weight")}
    model: dict[str, Shape] = {"model.decoder.reg_scale": (1,)}
    assert judge([Family("model.decoder.reg_scale", (), dtype, (1,))], {}, model).rows == ()


def test_one_packed_expert_makes_the_stack_misread() -> None:
    model: dict[str, Shape] = {"model.layers.0.mlp.experts.down_proj": (2, 6, 4)}
    one = Family("model.layers.{}.mlp.experts.{}.w2.weight", ((0,), (0,)), "BF16", (6, 4))
    other = Family("model.layers.{}.mlp.experts.{}.w2.weight", ((0,), (1,)), "I8", (6, 4))
    assert rows(judge([one, other], {}, model)) == {("misread", "model.layers.0.mlp.experts.down_proj")}


REAL: dict[str, Shape] = {
    "model.layers.0.router.scale": (8,),
    "model.layers.0.router.input_scale": (4,),
    "model.layers.0.router.weight_scale": (4,),
    "model.layers.0.q_proj.weight": (8, 8),
}


@pytest.mark.parametrize("leaf", ["scale", "input_scale", "weight_scale"])
def test_a_parameter_named_like_a_companion_is_judged_as_a_parameter(leaf: str) -> None:
    name = f"model.layers.0.router.{leaf}"
    stored = [Family(t.replace(".0.", ".{}."), ((0,),), "F32", shape) for t, shape in REAL.items()]
    whole = judge(stored, {"quantization_config": {"quant_method": "fp8"}}, REAL)
    assert whole.rows == ()
    assert name.replace(".0.", ".{}.") in {found.stored for found in whole.assignments}
    lacking = [family for family in stored if not family.template.endswith(f"router.{leaf}")]
    assert ("missing", name) in rows(judge(lacking, {"quantization_config": {"quant_method": "fp8"}}, REAL))


def test_a_scale_beside_packed_numbers_stays_a_companion() -> None:
    packed_q = Family("model.layers.{}.q_proj.weight", ((0,),), "F8_E4M3", (8, 8))
    scale = Family("model.layers.{}.q_proj.scale", ((0,),), "F32", (1, 1))
    outcome = judge([packed_q, scale], {"quantization_config": {"quant_method": "fp8"}}, MODEL)
    assert {family.template for family in outcome.quantized} == {packed_q.template, scale.template}


SKIPS_ALL = {"quant_method": "fp8", "modules_to_not_convert": ["lm_head", "model"]}


def test_a_declaration_that_leaves_every_module_alone_is_judged_as_dense() -> None:
    outcome = judge(DENSE, {"quantization_config": SKIPS_ALL})
    assert (outcome.rows, outcome.inconclusive) == ((), None)
    entry = {"quant_method": "fp8", "modules_to_not_convert": ["model.layers"]}
    assert judge(DENSE, {"quantization_config": entry}).inconclusive is not None


def test_experts_packed_as_a_whole_leave_their_parameters_random() -> None:
    model: dict[str, Shape] = {"model.layers.0.mlp.experts.gate_up_proj": (2, 8, 6)}
    stored = [
        Family(f"model.layers.{{}}.mlp.experts.gate_up_proj_{part}", ((0,),), dtype, (2, 1))
        for part, dtype in (("packed", "I32"), ("scale", "F32"))
    ]
    seen = rows(judge(stored, {"quantization_config": {"quant_method": "compressed-tensors"}}, model))
    assert ("missing", "model.layers.0.mlp.experts.gate_up_proj") in seen
    assert ("unexpected", "model.layers.0.mlp.experts.gate_up_proj_packed") in seen
    assert judge(stored, {"quantization_config": {"quant_method": "someday"}}, model).rows == ()
