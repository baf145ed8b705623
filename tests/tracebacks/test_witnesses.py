"""How sure a text alone can be: likely on two witnesses, possible on one, never certain."""

from __future__ import annotations

import pytest

from loadproof.tracebacks import Cause, candidates, read_symptom

REPORT = "Sam3Model LOAD REPORT from: {}\nKey | Status |"
ROWS = (
    "detector.text_encoder.encoder.layers.{0...23}.fc1.weight | UNEXPECTED |",
    "detector.text_encoder.final_layer_norm.weight | UNEXPECTED |",
    "text_encoder.text_model.encoder.layers.{0...23}.fc1.weight | MISSING |",
    "text_encoder.text_model.final_layer_norm.weight | MISSING |",
)


def first(text: str) -> Cause:
    return candidates(read_symptom(text.split("\n")))[0]


def test_a_name_alone_is_one_witness_and_its_frames_are_the_second() -> None:
    alone = "KeyError: 'layers.4.mlp.up_proj.g_idx'"
    framed = f'  File "vllm/model_executor/models/x.py", line 3, in load_weights\n{alone}'
    assert (first(alone).key, first(alone).confidence) == ("quant-config-missing", "possible")
    assert (first(framed).key, first(framed).confidence) == ("quant-config-missing", "likely")


def test_a_whole_sentence_is_enough() -> None:
    assert (
        first("ValueError: Missing or incomplete model files: ['model-00003-of-00007.safetensors']").confidence
        == "likely"
    )


SIZES = "size mismatch for {}.weight: copying a param with shape torch.Size({}) from checkpoint, the shape in current model is torch.Size({})."


def test_an_empty_tensor_beside_a_slice_is_no_placeholder() -> None:
    empty = SIZES.format("model.embed_tokens", "[0]", "[256, 64]")
    part = SIZES.format("model.layers.0.mlp.up_proj", "[5000]", "[256, 64]")
    assert first(empty).key == "zero3-placeholders"
    assert first(f"{empty}\n{part}").key == "fsdp1-slice"


def test_an_empty_parameter_of_the_model_is_not_in_the_file() -> None:
    assert first(SIZES.format("model.norm", "[64]", "[0]")).blames == "run"


def test_one_dimension_of_one_tensor_is_one_witness() -> None:
    one = SIZES.format("model.layers.0.mlp.up_proj", "[250, 64]", "[256, 64]")
    assert first(one).confidence == "possible"


def test_a_length_that_the_text_states_is_likely_and_not_certain() -> None:
    assert (
        first("ValueError: `num_hidden_layers` (40) must be equal to the number of `layer_types` (48)").confidence
        == "likely"
    )


@pytest.mark.parametrize(
    ("source", "key"),
    [("facebook/sam3", "release-renaming"), ("./out/sam3", "nesting-prefix"), ("checkpoints/sam3", "nesting-prefix")],
)
def test_a_published_checkpoint_may_be_misread_by_this_release(source: str, key: str) -> None:
    found = first("\n".join((REPORT.format(source), *ROWS)))
    assert found.key == key
    assert found.confidence == ("possible" if key == "release-renaming" else "likely")


def test_when_nothing_of_the_model_fits_no_shard_is_lost() -> None:
    names = "'m.embed.weight', 'm.blocks.0.attn.out.weight', 'm.blocks.0.ffn.fc1.weight'"
    text = f"Some weights of XForMaskedLM were not initialized from the model checkpoint at a/b and are newly initialized: [{names}]"
    assert first(text).key == "foreign-dialect"
    assert first(text.replace("'m.embed.weight', ", "")).key != "foreign-dialect"


def test_states_that_are_lost_late_were_there_before() -> None:
    text = "ValueError: Supplied state dict for model.layers.{}.mlp.up_proj.weight does not contain `bitsandbytes__*` and possibly other `quantized_stats` components."
    assert first(text.format(0)).key == "quant-config-stale"
    assert first(text.format(45)).key == "engine-drops-scales"


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        (
            "ValueError: The output_size of gate's and up's weight = 192 is not divisible by weight quantization block_n = 128.",
            ((192,), (128,)),
        ),
        ("AssertionError: 40 is not divisible by 3", ((40,), (3,))),
        (
            "ValueError: Total number of attention heads (40) must be divisible by tensor parallel size (3).",
            ((40,), (3,)),
        ),
        ("torch 2.13.0 is not installed", ()),
    ],
)
def test_sizes_that_do_not_divide_are_read(text: str, sizes: tuple[tuple[int, ...], ...]) -> None:
    found = read_symptom([text]).shapes
    assert all(size in found for size in sizes)
    assert bool(found) == bool(sizes)
