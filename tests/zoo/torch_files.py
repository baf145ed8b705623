"""The weight files of a written folder, turned into files of torch.save: without torch, byte by byte."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from tests.formats.torch.writing import (
    archive,
    mapping,
    named,
    number,
    numbers,
    old_tensor,
    pickled,
    stream,
    tensor,
    text,
)

STORAGES = {
    "F64": ("DoubleStorage", 8),
    "F32": ("FloatStorage", 4),
    "F16": ("HalfStorage", 2),
    "BF16": ("BFloat16Storage", 2),
    "I64": ("LongStorage", 8),
    "I32": ("IntStorage", 4),
    "U8": ("ByteStorage", 1),
    "I8": ("CharStorage", 1),
    "BOOL": ("BoolStorage", 1),
}


def turn(
    folder: Path, form: str = "zip", under: str = "", beside: dict[str, Any] | None = None, first: bool = False
) -> None:
    """`form`: zip, deflated, deflated-some, deflated-pickle, legacy, protocol-4, namespace, number-key.

    `under`: the key below which the state dict lies. `beside`: other values of the outermost dict, before the tensors
    where they come `first`.
    """
    for file in sorted(folder.glob("*.safetensors")):
        (folder / _renamed(file.name)).write_bytes(_content(file.read_bytes(), form, under, beside or {}, first))
        file.unlink()
    for index in sorted(folder.glob("*.safetensors.index.json")):
        (folder / "pytorch_model.bin.index.json").write_text(
            index.read_text().replace(".safetensors", ".bin").replace('"model-', '"pytorch_model-')
        )
        index.unlink()


def _renamed(name: str) -> str:
    return "pytorch_" + name.replace(".safetensors", ".bin")


def _content(raw: bytes, form: str, under: str, beside: dict[str, Any], first: bool) -> bytes:
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    header.pop("__metadata__", None)
    make = old_tensor if form == "legacy" else tensor
    values, storages = {}, {}
    for key, (name, entry) in enumerate(header.items()):
        storage, size = STORAGES[entry["dtype"]]
        begin, end = entry["data_offsets"]
        storages[str(key)] = raw[8 + length + begin : 8 + length + end]
        arguments = {"key": str(key), "length": (end - begin) // size, "shape": entry["shape"], "storage": storage}
        if form != "legacy":
            arguments["stride"] = _strides(entry["shape"])
        values[name] = make(**arguments)
    return _file(form, _mapping(form, values, under, beside, first), storages, header)


def _mapping(form: str, values: dict[str, bytes], under: str, beside: dict[str, Any], first: bool) -> bytes:
    others = {name: plain(value) for name, value in beside.items()}
    if form == "namespace":
        others["args"] = named("argparse", "Namespace") + b")\x81" + mapping(lr=number(1)) + b"b"
    state = {under: mapping(**values)} if under else values
    whole = mapping(**others, **state) if first else mapping(**state, **others)
    if form == "number-key":
        whole = whole[:-1] + number(0) + next(iter(values.values())) + b"u"
    return whole


def _file(form: str, value: bytes, storages: dict[str, bytes], header: dict[str, Any]) -> bytes:
    if form == "legacy":
        sizes = {key: STORAGES[e["dtype"]][1] for key, e in zip(storages, header.values(), strict=True)}
        return stream(value, storages, sizes=sizes)
    frame = b"\x80\x04\x95" + len(value + b".").to_bytes(8, "little")
    content = frame + value + b"." if form == "protocol-4" else pickled(value)
    method = zipfile.ZIP_DEFLATED if form.startswith("deflated") else zipfile.ZIP_STORED
    packed = {"0", "1"} if form == "deflated-some" else form == "deflated"
    return archive(content, storages, method=method, packed=packed)


def _strides(shape: list[int]) -> list[int]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return strides[::-1]


def plain(value: Any) -> bytes:
    """A number, a text or a dict of such as opcodes."""
    if isinstance(value, dict):
        return mapping(**{key: plain(inner) for key, inner in value.items()})
    return text(value) if isinstance(value, str) else number(value)


# ---------------------------------------------------------------- training states
_DCP = "torch.distributed.checkpoint"


def _object(module: str, name: str, **fields: bytes) -> bytes:
    return named(module, name) + b")\x81" + mapping(**fields) + b"b"


def distribute(folder: Path, inner: str, ranks: int, without: tuple[int, ...] = (), key: str = "model") -> None:
    """The weights of a written folder as a torch distributed checkpoint below it, rows cut by rank (payloads are empty)."""
    entries, stored, paths = {}, b"}(", {}
    sizes = dict.fromkeys(range(ranks), 0)
    for file in sorted(folder.glob("*.safetensors")):
        raw = file.read_bytes()
        header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
        header.pop("__metadata__", None)
        for name, entry in header.items():
            full, shape = f"{key}.{name}", entry["shape"]
            chunks, rows = [], -(-shape[0] // ranks)
            for rank in range(ranks):
                begin = min(rank * rows, shape[0])
                part = [min(rows, shape[0] - begin), *shape[1:]]
                if not part[0]:
                    continue
                corner = [begin] + [0] * (len(shape) - 1)
                chunk = {"offsets": numbers(corner), "sizes": numbers(part)}
                chunks.append(_object(f"{_DCP}.metadata", "ChunkStorageMetadata", **chunk))
                index = {"fqn": text(full), "offset": numbers(corner), "index": number(rank)}
                place = {
                    "relative_path": text(f"__{rank}_0.distcp"),
                    "offset": number(sizes[rank]),
                    "length": number(8),
                }
                stored += _object(f"{_DCP}.metadata", "MetadataIndex", **index)
                stored += _object(f"{_DCP}.filesystem", "_StorageInfo", **place)
                sizes[rank] += 8
            dtype = {"BF16": "bfloat16", "F32": "float32", "F16": "float16"}[entry["dtype"]]
            properties = _object(f"{_DCP}.metadata", "TensorProperties", dtype=named("torch", dtype))
            pieces = b"](" + b"".join(chunks) + b"e"
            fields = {"properties": properties, "size": numbers(shape), "chunks": pieces}
            entries[full] = _object(f"{_DCP}.metadata", "TensorStorageMetadata", **fields)
            paths[full] = b"(" + text(key) + text(name) + b"t"
        file.unlink()
    whole = _object(
        f"{_DCP}.metadata",
        "Metadata",
        state_dict_metadata=mapping(**entries),
        planner_data=mapping(**paths),
        storage_data=stored + b"u",
    )
    (folder / inner).mkdir()
    (folder / inner / ".metadata").write_bytes(pickled(whole))
    for rank, size in sizes.items():
        if rank not in without:
            (folder / inner / f"__{rank}_0.distcp").write_bytes(bytes(size))
