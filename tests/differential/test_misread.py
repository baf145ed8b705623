"""What loadproof calls misread arrives in the real library as the stored numbers, cast; what it calls loaded does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loadproof.api import check
from loadproof.core.families import names_of

pytestmark = pytest.mark.torch
NAME = "model.layers.0.self_attn.q_proj.weight"
DTYPES = ("float8_e4m3fn", "float8_e5m2", "int8", "uint8", "int16", "int32", "float16", "float64")
PACKED = DTYPES[:6]
ENTRIES: tuple[dict[str, Any] | None, ...] = (
    None,
    {"quant_method": "modelopt_fp8"},
    {"quant_method": "fp9", "weight_block_size": [128, 128]},
    {"quant_method": "FP8"},
    {"quant_method": 8},
    {"quant_method": "bitsandbytes"},
    {"quant_method": "modelopt", "quant_algo": "FP8", "modules_to_not_convert": ["lm_head"]},
)


def _model() -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "vocab_size": 64}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 4, "tie_word_embeddings": False}
    return LlamaForCausalLM(LlamaConfig(**sizes, **heads, architectures=["LlamaForCausalLM"]))


def _write(folder: Path, dtype: str, entry: dict[str, Any] | None) -> Any:
    """A tiny model with one weight of this dtype; the numbers stored in it."""
    import json

    import torch
    from safetensors.torch import save_file

    model = _model()
    tensors = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    stored = (torch.arange(32 * 32).reshape(32, 32) % 7 + 1).to(getattr(torch, dtype))
    tensors[NAME] = stored
    folder.mkdir(parents=True)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    config = {**model.config.to_dict(), **({"quantization_config": entry} if entry else {})}
    (folder / "config.json").write_text(json.dumps(config))
    return stored


def _misread(folder: Path) -> set[str]:
    rows = check(folder).case.outcome.rows
    return {name for row in rows if row.kind == "misread" for name in names_of(row.template, row.axes)}


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_library_takes_packed_numbers_as_they_are(dtype: str, entry: dict[str, Any] | None, tmp_path: Path) -> None:
    import torch
    from transformers import LlamaForCausalLM

    folder = tmp_path / "model"
    stored = _write(folder, dtype, entry)
    model, info = LlamaForCausalLM.from_pretrained(folder, output_loading_info=True)
    assert not any(info.values())
    arrived = model.get_parameter(NAME)
    assert arrived.is_floating_point()
    assert torch.equal(arrived.float(), stored.float())
    assert _misread(folder) == ({NAME} if dtype in PACKED else set())
    assert check(folder).verdict == ("loads-wrong" if dtype in PACKED else "loads")


def test_a_parameter_named_like_a_scale_is_filled_in_a_quantized_set(tmp_path: Path) -> None:
    from transformers import Gemma4ForCausalLM, Gemma4TextConfig

    sizes = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "vocab_size": 64, "head_dim": 8}
    sizes |= {"vocab_size_per_layer_input": 64, "hidden_size_per_layer_input": 0, "global_head_dim": 8}
    moe = {"enable_moe_block": True, "num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 16}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "num_kv_shared_layers": 0}
    model = Gemma4ForCausalLM(
        Gemma4TextConfig(**sizes, **moe, **heads, layer_types=["sliding_attention", "full_attention"])
    )
    assert any(name.endswith("router.scale") for name, _ in model.named_parameters())
    model.config.quantization_config = None
    model.save_pretrained(tmp_path / "model")
    _declare(tmp_path / "model", {"quant_method": "fp8", "modules_to_not_convert": ["lm_head", "model"]})
    _, info = Gemma4ForCausalLM.from_pretrained(tmp_path / "model", output_loading_info=True)
    assert not any(info.values())
    report = check(tmp_path / "model")
    assert (report.verdict, report.case.outcome.rows) == ("loads", ())


def _declare(folder: Path, entry: dict[str, Any]) -> None:
    import json

    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "quantization_config": entry}))
