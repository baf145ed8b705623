"""What the first bytes of a file say it is, whatever its name promises."""

from __future__ import annotations

import re

from loadproof.formats.entry import LARGEST_HEADER
from loadproof.lexicon.formats import promised

HEAD = 512  # bytes that are enough to tell

_LFS = b"version https://git-lfs.github.com/spec/"
_PICKLE = re.compile(rb"\x80[\x00-\x05]|\(dp|c[A-Za-z_.]+\n|\(S'", re.DOTALL)
_MAGIC = (
    (b"GGUF", "gguf", "a GGUF file"),
    (b"PK\x03\x04", "zip", "a zip archive"),
    (b"PK\x05\x06", "zip", "an empty zip archive"),
    (b"\x1f\x8b", "other", "a gzip file"),
    (b"7z\xbc\xaf\x27\x1c", "other", "a 7z archive"),
    (b"\x89HDF", "other", "an HDF5 file"),
    (_LFS, "lfs-pointer", "a Git LFS pointer"),
)


def claims_weights(name: str) -> bool:
    """Whether a file name promises tensors."""
    return promised(name) is not None or name == ".metadata"


def kind_of(head: bytes, size: int, name: str = "") -> str:
    """A `FileInfo.kind` from the first `HEAD` bytes. A zip or pickle under a torch name is ``torch``.

    ``zeros`` means that the whole head is NUL; more than that only reading it all could tell.
    """
    if size == 0:
        return "empty"
    if is_safetensors_start(head):
        return "safetensors"
    if not head.strip(b"\0"):
        return "zeros"
    kind = next((kind for magic, kind, _ in _MAGIC if head.startswith(magic)), None) or _kind_of_text(head)
    if _is_torch_name(name) and (kind == "zip" or (kind is None and _PICKLE.match(head))):
        return "torch"
    return kind or "other"


def describe(head: bytes) -> str:
    """What a file that is no safetensors file looks like, with an article: ``a zip archive``."""
    for magic, _, words in _MAGIC:
        if head.startswith(magic):
            return words
    if _PICKLE.match(head):
        return "a pickle"
    return {"html": "an HTML or XML page", "json": "JSON text"}.get(_kind_of_text(head) or "", "of no known format")


def is_safetensors_start(head: bytes) -> bool:
    """A believable header length followed by an opening brace, perhaps after surplus white space."""
    length = int.from_bytes(head[:8], "little")
    return len(head) > 8 and 2 <= length <= LARGEST_HEADER and head[8:].lstrip(b" \t\r\n\xef\xbb\xbf")[:1] == b"{"


def _is_torch_name(name: str) -> bool:
    return not name.lower().endswith((".safetensors", ".gguf", ".json"))


def _kind_of_text(head: bytes) -> str | None:
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"<"):
        return "html"
    if text.startswith((b'{"', b"{\n", b"{\r", b"{ ", b"{}", b"[")):
        return "json"
    return None


def lfs_size(head: bytes) -> int | None:
    """The size in bytes that a Git LFS pointer promises for the real file."""
    found = re.search(rb"^size ([0-9]{1,18})\s*$", head, re.MULTILINE)
    return int(found[1]) if found else None
