"""Torch files written byte by byte: pickles by opcode, and the archive around them."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Collection, Mapping, Sequence
from math import prod

from loadproof.core.checkpoint import Problem
from loadproof.formats.faults import Faults
from loadproof.formats.torch.read import read_torch
from loadproof.formats.torch.table import TorchFile
from loadproof.storage.memory import MemoryFile

START = b"\x80\x02"
EIGHT = struct.pack("<2f", 1, 2)


def named(module: str, name: str) -> bytes:
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def text(word: str) -> bytes:
    return b"X" + struct.pack("<I", len(word.encode())) + word.encode()


def number(value: int) -> bytes:
    if -(2**31) <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    return b"\x8a\x09" + value.to_bytes(9, "little", signed=True)


def numbers(values: Sequence[int]) -> bytes:
    return b"(" + b"".join(map(number, values)) + b"t"


def call(module: str, name: str, *arguments: bytes) -> bytes:
    return named(module, name) + b"(" + b"".join(arguments) + b"tR"


def tensor(
    key: str = "0",
    length: int = 2,
    shape: Sequence[int] = (2,),
    stride: Sequence[int] = (1,),
    offset: int = 0,
    storage: str = "FloatStorage",
    location: str = "cpu",
) -> bytes:
    """One tensor as torch writes it, without memo."""
    place = b"(" + text("storage") + named("torch", storage) + text(key) + text(location) + number(length) + b"tQ"
    hooks = call("collections", "OrderedDict")
    return call(
        "torch._utils", "_rebuild_tensor_v2", place, number(offset), numbers(shape), numbers(stride), b"\x89", hooks
    )


def mapping(**values: bytes) -> bytes:
    return b"}(" + b"".join(text(key) + value for key, value in values.items()) + b"u"


def pickled(value: bytes) -> bytes:
    return START + value + b"."


GOOD = pickled(mapping(w=tensor()))


def archive(
    pickle: bytes | None = GOOD,
    storages: Mapping[str, bytes] | None = None,
    extra: Mapping[str, bytes] | None = None,
    method: int = zipfile.ZIP_STORED,
    packed: bool | Collection[str] = False,
) -> bytes:
    """The zip file. `method` is that of the pickle, and of the storages too where they (or their keys) are `packed`."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        if pickle is not None:
            file.writestr(_info("archive/data.pkl", method), pickle)
        file.writestr(_info("archive/byteorder"), b"little")
        for key, content in ({"0": EIGHT} if storages is None else storages).items():
            is_packed = packed if isinstance(packed, bool) else key in packed
            file.writestr(_info(f"archive/data/{key}", method if is_packed else zipfile.ZIP_STORED), content)
        file.writestr(_info("archive/version"), b"3\n")
        for name, content in (extra or {}).items():
            file.writestr(_info(name), content)
    return buffer.getvalue()


def _info(name: str, method: int = zipfile.ZIP_STORED) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type = method
    return info


MAGIC = pickled(b"\x8a\x0a" + (0x1950A86A20F9469CFC6C).to_bytes(10, "little"))


def stream(
    value: bytes | None = None,
    storages: Mapping[str, bytes] | None = None,
    little: bool = True,
    version: int = 1001,
    size: int = 4,
    sizes: Mapping[str, int] | None = None,
) -> bytes:
    """The form before 1.6. `size` is that of one element, `sizes` where they differ by storage."""
    kept = {"0": EIGHT} if storages is None else storages
    system = mapping(protocol_version=number(1001), little_endian=b"\x88" if little else b"\x89")
    keys = b"](" + b"".join(map(text, kept)) + b"e"
    body = mapping(w=old_tensor()) if value is None else value
    head = MAGIC + b"".join(map(pickled, (number(version), system, body, keys)))
    return head + b"".join(
        struct.pack("<q", len(data) // (sizes or {}).get(key, size)) + data for key, data in kept.items()
    )


def old_tensor(key: str = "0", length: int = 2, shape: Sequence[int] = (2,), storage: str = "FloatStorage") -> bytes:
    place = b"(" + text("storage") + named("torch", storage) + text(key) + text("cpu") + number(length) + b"NtQ"
    hooks = call("collections", "OrderedDict")
    steps = [prod(shape[at + 1 :]) for at in range(len(shape))]
    return call("torch._utils", "_rebuild_tensor_v2", place, number(0), numbers(shape), numbers(steps), b"\x89", hooks)


def read(content: bytes) -> tuple[TorchFile, tuple[Problem, ...]]:
    faults = Faults()
    found = read_torch(MemoryFile(content), "pytorch_model.bin", faults)
    return found, faults.result()
