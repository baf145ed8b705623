"""Sparse checkpoints with real headers, index and config; the data is a hole in the file. Standard library only.

python benchmarks/make_sparse.py FOLDER [S] [M] [L] [XL]

| size | model                            | files | tensors | apparent size |
| S    | qwen3, 28 layers                 |     1 |     310 |        1.2 GB |
| M    | qwen3_moe, 24 x 40 experts       |    60 |   3,099 |        143 GB |
| L    | qwen3_moe, 87 x 384 experts      |   160 | 101,010 |      1,218 GB |
| XL   | qwen3_moe, 94 x 788 experts      |   320 | 223,065 |      2,690 GB |
On disk they take what their headers take: 70 MB together. The file system must allow holes of 16 GB.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, prod
from pathlib import Path

VOCABULARY = 151_936
HEAD_DIM = 128
BYTES_PER_ELEMENT = 2  # BF16
Tensor = tuple[str, tuple[int, ...]]


@dataclass(frozen=True)
class Model:
    layers: int
    experts: int  # 0: dense
    hidden: int
    inner: int
    heads: int
    kv_heads: int
    files: int


MODELS = {
    "S": Model(layers=28, experts=0, hidden=1024, inner=3072, heads=16, kv_heads=8, files=1),
    "M": Model(layers=24, experts=40, hidden=4096, inner=5888, heads=32, kv_heads=4, files=60),
    "L": Model(layers=87, experts=384, hidden=4096, inner=1472, heads=32, kv_heads=4, files=160),
    "XL": Model(layers=94, experts=788, hidden=4096, inner=1472, heads=32, kv_heads=4, files=320),
}


def tensors(model: Model) -> Iterator[Tensor]:
    yield "model.embed_tokens.weight", (VOCABULARY, model.hidden)
    for layer in range(model.layers):
        yield from _layer(model, f"model.layers.{layer}.")
    yield "model.norm.weight", (model.hidden,)
    if model.experts:
        yield "lm_head.weight", (VOCABULARY, model.hidden)


def _layer(model: Model, prefix: str) -> Iterator[Tensor]:
    queries, keys = model.heads * HEAD_DIM, model.kv_heads * HEAD_DIM
    yield prefix + "input_layernorm.weight", (model.hidden,)
    yield prefix + "self_attn.q_proj.weight", (queries, model.hidden)
    yield prefix + "self_attn.k_proj.weight", (keys, model.hidden)
    yield prefix + "self_attn.v_proj.weight", (keys, model.hidden)
    yield prefix + "self_attn.o_proj.weight", (model.hidden, queries)
    yield prefix + "self_attn.q_norm.weight", (HEAD_DIM,)
    yield prefix + "self_attn.k_norm.weight", (HEAD_DIM,)
    yield prefix + "post_attention_layernorm.weight", (model.hidden,)
    if model.experts:
        yield prefix + "mlp.gate.weight", (model.experts, model.hidden)
    for mlp in [f"mlp.experts.{expert}" for expert in range(model.experts)] or ["mlp"]:
        yield f"{prefix}{mlp}.gate_proj.weight", (model.inner, model.hidden)
        yield f"{prefix}{mlp}.up_proj.weight", (model.inner, model.hidden)
        yield f"{prefix}{mlp}.down_proj.weight", (model.hidden, model.inner)


def config(model: Model) -> dict[str, object]:
    common = {
        "attention_bias": False, "bos_token_id": 1, "eos_token_id": 2, "head_dim": HEAD_DIM, "hidden_act": "silu",
        "hidden_size": model.hidden, "max_position_embeddings": 40960, "num_attention_heads": model.heads,
        "num_hidden_layers": model.layers, "num_key_value_heads": model.kv_heads, "rms_norm_eps": 1e-6,
        "torch_dtype": "bfloat16", "transformers_version": "4.57.0", "vocab_size": VOCABULARY,
    }  # fmt: skip
    if not model.experts:
        names = {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "tie_word_embeddings": True}
        return common | names | {"intermediate_size": model.inner}
    names = {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "tie_word_embeddings": False}
    experts = {"num_experts": model.experts, "num_experts_per_tok": 8, "moe_intermediate_size": model.inner}
    return (
        common
        | names
        | experts
        | {"intermediate_size": 3 * model.inner, "decoder_sparse_step": 1, "mlp_only_layers": []}
    )


def write_file(path: Path, items: Iterable[Tensor]) -> int:
    """One safetensors file; returns its bytes of data, none of which takes space."""
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    at = 0
    for name, shape in items:
        size = BYTES_PER_ELEMENT * prod(shape)
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + at)
    return at


def make(folder: Path, size: str) -> Path:
    """Write one checkpoint below `folder` unless it is there already."""
    root, model = folder / size, MODELS[size]
    if (root / "config.json").exists():
        return root
    root.mkdir(parents=True, exist_ok=True)
    items = list(tensors(model))
    total, weight_map, step = 0, {}, ceil(len(items) / model.files)
    for number in range(1, model.files + 1):
        part = items[(number - 1) * step : number * step]
        name = "model.safetensors" if model.files == 1 else f"model-{number:05d}-of-{model.files:05d}.safetensors"
        total += write_file(root / name, part)
        weight_map |= dict.fromkeys((tensor for tensor, _ in part), name)
    if model.files > 1:
        index = {"metadata": {"total_size": total}, "weight_map": weight_map}
        (root / "model.safetensors.index.json").write_text(json.dumps(index, indent=2))
    (root / "config.json").write_text(json.dumps(config(model), indent=2))
    return root


def make_apart(folder: Path, size: str) -> str:
    """The same in a process of its own: a child's peak memory starts from what its parent has had."""
    subprocess.run([sys.executable, __file__, str(folder), size], check=True, stdout=subprocess.DEVNULL)
    return str(folder / size)


def main(arguments: list[str]) -> int:
    if not arguments or set(arguments[1:]) - set(MODELS):
        print(__doc__)
        return 2
    for size in arguments[1:] or MODELS:
        print(make(Path(arguments[0]), size))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
