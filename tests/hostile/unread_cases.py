"""Files of torch and of formats that are not read: these must be named as such, and nothing in them may run."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from tests.hostile.making import HTML, LFS_POINTER, Case, Special, evil_pickle, one_tensor, zip_of


def cases() -> Iterator[Case]:
    """`expect` is "skip" where the file may be what its name says, and "error" where it cannot be."""
    zipped = zip_of({"archive/data.pkl": evil_pickle(), "archive/version": b"3\n"})
    torch = {
        "zip": ("LP012", zipped),
        "bare_pickle": ("LP012", evil_pickle()),
        "protocol_0": ("LP012", b"cposix\nsystem\n(S'true'\ntR."),
        "no_directory": ("LP003", zipped[:-40]),
        "two_archives": ("LP012", zipped + zipped),
        "no_pickle": ("LP002", zip_of({"archive/version": b"3\n"})),
        "extra_member": ("LP012", zip_of({"archive/data.pkl": b"\x80\x02}.", "archive/extra.pkl": evil_pickle()})),
        "climbing_member": ("LP006", zip_of({"../../evil": b"x", "archive/data.pkl": b"\x80\x02}."})),
        "deep_tuple": ("LP006", zip_of({"archive/data.pkl": b"\x80\x02N" + b"\x85" * 200_000 + b"."})),
        "bomb": ("LP006", zip_of({"archive/data.pkl": b"\x80\x02" + b"N0" * 1_000_000 + b"("})),
        "7z": ("LP002", b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(64)),
    }
    for name, (code, blob) in torch.items():
        yield Case("torch", name, "error", code, {"pytorch_model.bin": blob})
    yield Case("torch", "html", "error", "LP002", {"pytorch_model.bin": HTML})
    yield Case("torch", "lfs", "error", "LP001", {"pytorch_model.bin": LFS_POINTER})
    yield Case("torch", "safetensors", "error", "LP002", {"pytorch_model.bin": one_tensor("a")})
    yield Case("torch", "empty", "error", "LP003", {"pytorch_model.bin": b""})
    yield Case("torch", "folder", "error", "LP110", {"pytorch_model.bin": Special("dir")})
    yield Case("torch", "fifo", "error", "LP110", {"pytorch_model.bin": Special("fifo")})
    gguf = {
        "no_tensors": (3, 0, 0),
        "many_keys": (3, 0, 2**63),
        "many_tensors": (3, 2**61 + 1, 0),
        "version_99": (99, 0, 0),
    }
    for name, numbers in gguf.items():
        yield Case("gguf", name, "skip", "", {"model.gguf": b"GGUF" + struct.pack("<IQQ", *numbers)})
    metadata = {"runs": ("LP012", evil_pickle()), "cut": ("LP006", evil_pickle()[:12]), "zip": ("LP006", zipped)}
    for name, (code, blob) in metadata.items():
        yield Case("dcp", name, "error", code, {".metadata": blob, "__0_0.distcp": b"PK\x03\x04" + bytes(60)})
