"""A declaration of bitsandbytes over dense weights: everything loads, and nothing runs. The note of LP602 says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loadproof.api import check

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(("bits", "raised"), [(4, AssertionError), (8, AttributeError)])
def test_dense_weights_in_modules_of_bitsandbytes_raise_at_the_first_forward_pass(
    bits: int, raised: type[Exception], tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")
    pytest.importorskip("bitsandbytes")
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = {
        "vocab_size": 64,
        "hidden_size": 64,
        "intermediate_size": 64,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
    }
    LlamaForCausalLM(LlamaConfig(**sizes)).to(torch.bfloat16).save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    entry = {"quant_method": "bitsandbytes", f"load_in_{bits}bit": True}
    (tmp_path / "config.json").write_text(json.dumps(config | {"quantization_config": entry}))
    report = check(str(tmp_path), device="cpu")
    assert [finding.code for finding in report.findings] == ["LP602"]
    assert "the first forward pass raises" in report.text()
    loaded = LlamaForCausalLM.from_pretrained(tmp_path, device_map="cpu", dtype=torch.bfloat16)
    with pytest.raises(raised):
        loaded(torch.arange(4)[None])
