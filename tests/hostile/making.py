"""What a hostile case is, and the small writers the case tables use. Deterministic: same bytes on every run."""

from __future__ import annotations

import json
import os
import random
import struct
import zipfile
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

# Inert unless a test names a file in this variable: then running the payload creates that file.
CANARY = 'test -n "$LOADPROOF_CANARY" && : > "$LOADPROOF_CANARY"'
_RANDOM = random.Random(20261130)


@dataclass(frozen=True)
class Special:
    """A file that is not made of bytes: ``symlink``, ``hardlink``, ``fifo`` or ``dir``."""

    kind: str
    target: str = ""


@dataclass(frozen=True)
class Case:
    """`expect` is error, warn, info or ok; `code` is the rule that must say so."""

    group: str
    name: str
    expect: str
    code: str
    files: dict[str, bytes | str | Special] = field(compare=False)

    @property
    def id(self) -> str:
        return f"{self.group}-{self.name}"

    def write(self, folder: Path) -> Path:
        """Write the files below `folder`/case, next to a healthy neighbour that escapes may aim at."""
        root = folder / "case"
        for name, content in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Special):
                _write_special(path, content)
            else:
                path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        return root


def _write_special(path: Path, special: Special) -> None:
    if special.kind == "symlink":
        path.symlink_to(special.target)
    elif special.kind == "hardlink":
        os.link(path.parent / special.target, path)
    elif special.kind == "fifo":
        os.mkfifo(path)
    else:
        path.mkdir()


def data(length: int) -> bytes:
    """Bytes that are not zero throughout."""
    return _RANDOM.randbytes(length)


def entry(dtype: object, shape: object, begin: int, end: int) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def st(header: object, body: bytes = b"", *, length: int | None = None, pad: bool = True) -> bytes:
    """A safetensors file; `header` is an object, JSON text or raw bytes, `length` a lie about its length."""
    if not isinstance(header, str | bytes):
        header = json.dumps(header, separators=(",", ":"))
    raw = header.encode("utf-8", "surrogatepass") if isinstance(header, str) else header
    raw += b" " * (-len(raw) % 8 if pad else 0)
    return struct.pack("<Q", (len(raw) if length is None else length) % 2**64) + raw + body


def one_tensor(name: str, **metadata: str) -> bytes:
    """A healthy file with one F32 tensor of two elements."""
    return st({"__metadata__": {"format": "pt"} | metadata, name: entry("F32", [2], 0, 8)}, data(8))


def zip_of(members: dict[str, bytes]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return made.getvalue()


def evil_pickle(module: str = "posix", function: str = "system") -> bytes:
    """A pickle that would run the canary command."""
    text = CANARY.encode()
    call = f"c{module}\n{function}\n".encode() + b"(X" + struct.pack("<I", len(text)) + text + b"tR."
    return b"\x80\x02" + call


LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 4976698672\n"
HTML = b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>403</body></html>"
