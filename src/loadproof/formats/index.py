"""A shard index: ``{"metadata": {"total_size": n}, "weight_map": {tensor: file}}``."""

from __future__ import annotations

import re

import msgspec

from loadproof.core.checkpoint import IndexFile, Problem
from loadproof.formats.faults import Faults, cut
from loadproof.storage import GuardedFile, why_unsafe

LARGEST = 256_000_000  # bytes; the index of a million tensors has about 100 MB
_NAME = re.compile(r".+\.index(\.[^./]+)?\.json")
_BREAKS_PATH = {  # an absolute path or one through .. is followed by transformers where it exists
    "nul-byte": "ValueError: embedded null byte",
    "too-long": "OSError: File name too long",
    "url": "FileNotFoundError: No such file or directory",
    "windows-path": "FileNotFoundError: No such file or directory",
    "lone-surrogate": "FileNotFoundError: No such file or directory",
    "empty-path": "IsADirectoryError: Is a directory",
}


class _Typed(msgspec.Struct):
    weight_map: dict[str, str]
    metadata: dict[str, int | str]


_DECODER = msgspec.json.Decoder(_Typed)


def is_index(name: str) -> bool:
    """``model.safetensors.index.json`` and its variants, ``model.safetensors.index.fp16.json``."""
    return _NAME.fullmatch(name) is not None


def read_index(opened: GuardedFile, file: str) -> tuple[IndexFile, tuple[Problem, ...]]:
    """The index and what is wrong with it. Paths in it are judged, not opened."""
    faults = Faults()
    if opened.size > LARGEST:
        faults.add("LP101", file, "too-large", f"the index has {opened.size:,} bytes, more than {LARGEST:,}")
        return IndexFile(file, {}, None, False, readable=False), faults.result()
    raw = opened.read(0, opened.size)
    index = _read_plain(raw, file)
    if index is None:
        from loadproof.formats.index_exact import diagnose  # rarely needed, and it takes its time to import

        index = diagnose(raw, file, faults)
    targets = sorted(set(index.weight_map.values()))
    for target in targets:
        if kind := why_unsafe(target):
            faults.add(
                "LP110",
                file,
                kind,
                f"weight_map points to {cut(ascii(target))}, which is no path inside the folder",
                found=cut(ascii(target)),
                breaks=_BREAKS_PATH.get(kind),
            )
    _check_names(file, targets, faults)
    return index, faults.result()


def _read_plain(raw: bytes, file: str) -> IndexFile | None:
    """The fast path: types as they should be, no escape, no key twice: every comma is accounted for."""
    if b"\\" in raw or not raw.isascii():
        return None
    try:
        typed = _DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    total = typed.metadata.get("total_size")
    is_total = isinstance(total, int) and total >= 0
    commas = len(typed.weight_map) + max(0, len(typed.metadata) - 1)
    if raw.count(b",") != commas or not typed.weight_map or not (is_total or total is None):
        return None
    return IndexFile(file, typed.weight_map, total if isinstance(total, int) else None, True)


def _check_names(file: str, targets: list[str], faults: Faults) -> None:
    lowered: dict[str, str] = {}
    for target in targets:
        other = lowered.setdefault(target.lower(), target)
        if other != target:
            faults.add(
                "LP110",
                file,
                "case",
                f"{cut(other)} and {cut(target)} differ only by case",
                severity="warning",
                found=cut(target),
            )
        if not target.isprintable():
            faults.add(
                "LP011",
                file,
                "control",
                f"a shard name holds control characters: {cut(ascii(target))}",
                severity="warning",
                found=cut(ascii(target)),
            )
