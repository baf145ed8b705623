"""Small files that cost much unless every stage works in time that grows with its input: one builder for each kind.

Each builder writes a checkpoint with a small Llama config into an empty folder and says how many bytes it wrote.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "vocab_size": 1000,
    "tie_word_embeddings": False,
}
Builder = Callable[[Path, int], int]


def _config(folder: Path, **fields: Any) -> int:
    return (folder / "config.json").write_text(json.dumps(CONFIG | fields))


def _raw(folder: Path, header: bytes, size: int = 0, file: str = "model.safetensors") -> int:
    """A safetensors file whose data, `size` bytes, is a hole."""
    header += b" " * (-len(header) % 8)
    with (folder / file).open("wb") as out:
        out.write(struct.pack("<Q", len(header)) + header)
        out.truncate(8 + len(header) + size)
    return 8 + len(header) + size


def _header(folder: Path, names: Iterable[str], shape: Callable[[int], list[int]] = lambda _: [1]) -> int:
    """One file with a U8 tensor for each name."""
    header, at = dict[str, Any](), 0
    for number, name in enumerate(names):
        sizes = shape(number)
        end = at + sizes[0] * (sizes[1] if len(sizes) > 1 else 1)
        header[name] = {"dtype": "U8", "shape": sizes, "data_offsets": [at, end]}
        at = end
    return _config(folder) + _raw(folder, json.dumps(header).encode(), at)


def _index(folder: Path, weight_map: dict[str, str]) -> int:
    text = json.dumps({"metadata": {}, "weight_map": weight_map})
    return _config(folder) + (folder / "model.safetensors.index.json").write_text(text)


def _named(make: Callable[[int], str], shape: Callable[[int], list[int]] = lambda _: [1]) -> Builder:
    return lambda folder, n: _header(folder, map(make, range(n)), shape)


def _indexed(make: Callable[[int], tuple[str, str]]) -> Builder:
    return lambda folder, n: _index(folder, dict(map(make, range(n))))


def _configured(make: Callable[[int], dict[str, Any]]) -> Builder:
    def build(folder: Path, n: int) -> int:
        return _config(folder, **make(n)) + _raw(folder, b"{}")

    return build


def _metadata(folder: Path, n: int) -> int:
    pairs = {f"k{i}": "v" for i in range(n)}
    return _config(folder) + _raw(folder, json.dumps({"__metadata__": pairs}).encode())


def _twice(folder: Path, n: int) -> int:
    entry = b'"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}'
    return _config(folder) + _raw(folder, b"{" + b",".join([entry] * n) + b"}", 1)


def _dimensions(folder: Path, n: int) -> int:
    shape = b",".join([b"999999999999999999"] * n)
    header = b'{"a":{"dtype":"U8","shape":[' + shape + b'],"data_offsets":[0,1]}}'
    return _config(folder) + _raw(folder, header, 1)


def _same_range(folder: Path, n: int) -> int:
    entry = {"dtype": "U8", "shape": [n], "data_offsets": [0, n]}
    return _config(folder) + _raw(folder, json.dumps({f"t{i}": entry for i in range(n)}).encode(), n)


def _shards(folder: Path, n: int) -> int:
    """`n` files of one tensor each, of which the index names two."""
    tensor = {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}
    files = {f"model.layers.{i}.w": f"model-{i:05}-of-{n:05}.safetensors" for i in range(n)}
    size = sum(_raw(folder, json.dumps({name: tensor}).encode(), 1, file) for name, file in files.items())
    return size + _index(folder, dict(list(files.items())[:2]))


def _axes(i: int) -> str:
    return f"a.{i}.b.{i * 7919 % 100003}.c.{i * i % 99991}.d.{i * 31337 % 65537}"


def _bits(i: int) -> str:
    return "x." + ".".join(str((i * 2654435761 >> k) & 1) for k in range(17))


HEAVY: dict[str, Builder] = {
    "header: names that do not fold": _named(lambda i: f"a{i}.{i * 7919 % 100003}.{i * i % 99991}"),
    "header: four unlike axes": _named(_axes),
    "header: seventeen axes of two": _named(_bits),
    "header: a word of its own in a layer": _named(lambda i: f"model.layers.{i % 7}.self_attn.q{i}_proj.weight"),
    "header: experts far apart": _named(lambda i: f"model.layers.{i % 9}.mlp.experts.{i * 7919 % 100003}.w{i}.weight"),
    "header: one stack for each pair": _named(lambda i: f"s{i // 2}.{i}.wrap.{'ab'[i % 2]}.weight"),
    "header: quantized modules": _named(lambda i: f"model.layers.0.m{i // 2}.{('weight', 'weight_scale')[i % 2]}"),
    "header: adapters": _named(lambda i: f"base_model.model.model.layers.0.m{i // 2}.lora_{'AB'[i % 2]}.weight"),
    "header: prediction heads": _named(lambda i: f"mtp.x{i}.weight"),
    "header: rivals for one parameter": _named(lambda i: f"x{i}.layers.0.self_attn.q_proj.weight", lambda _: [8, 8]),
    "header: one template, unlike shapes": _named(lambda i: f"a.{i}.weight", lambda i: [i % 5000 + 1]),
    "header: one family": _named(str),
    "header: one range for all": _same_range,
    "header: one key many times": _twice,
    "header: one shape of large sizes": _dimensions,
    "header: metadata": _metadata,
    "index: a shard for each name": _indexed(lambda i: (f"n{i}", f"s{i}.safetensors")),
    "index: names, shards not there": _indexed(
        lambda i: (f"model.layers.{i}.x.{i * 7 % 1013}.w", f"m{i % 7}.safetensors")
    ),
    "index: unlike axes": _indexed(lambda i: (_axes(i), "m.safetensors")),
    "config: keys": _configured(lambda n: {f"k{i}": i for i in range(n)}),
    "config: faults": _configured(lambda n: {f"k{i}_config": {"hidden_size": -1} for i in range(n)}),
    "folder: shards that no index names": _shards,
}
