"""A shard index: ``{"metadata": {"total_size": n}, "weight_map": {tensor: file}}``."""

from __future__ import annotations

import re
from collections.abc import Callable
from posixpath import normpath

import msgspec
from msgspec.structs import replace

from loadproof.core.checkpoint import IndexFile, Problem
from loadproof.formats.faults import Faults, cut
from loadproof.storage import plain, why_unsafe
from loadproof.storage.base import Ranged

PlaceOf = Callable[[str], str | None]  # the plain name of what a path leads to, None where that is not in the folder

LARGEST = 256_000_000  # bytes; the index of a million tensors has about 100 MB
_NAME = re.compile(r".+\.index(\.[^./]+)?\.json")


class _Typed(msgspec.Struct):
    weight_map: dict[str, str]
    metadata: dict[str, int | str]


_DECODER = msgspec.json.Decoder(_Typed)


def is_index(name: str) -> bool:
    """``model.safetensors.index.json`` and its variants, ``model.safetensors.index.fp16.json``."""
    return _NAME.fullmatch(name) is not None


def read_index(opened: Ranged, file: str, place_of: PlaceOf = lambda _: None) -> tuple[IndexFile, tuple[Problem, ...]]:
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
    names = {target: _place(target, place_of) for target in targets}
    _check_paths(file, names, faults)
    _check_names(file, targets, faults)
    return _plainly_spelled(index, names), faults.result()


def _place(target: str, place_of: PlaceOf) -> str:
    """The plain name of a file of the folder, however it is spelled; what leads elsewhere stays as it is."""
    if why_unsafe(target) in ("parent-folder", "absolute-path"):
        return place_of(target) or target
    return plain(target)


def _check_paths(file: str, names: dict[str, str], faults: Faults) -> None:
    for target, name in names.items():
        kind = why_unsafe(target)
        if kind is None:
            continue
        shown = cut(ascii(target))
        if name == target:
            text = f"weight_map points to {shown}, which is no path inside the folder"
            faults.add("LP110", file, kind, text, found=shown)
        elif kind == "absolute-path" or normpath(target).startswith(".."):
            text = f"weight_map points to {shown}, which is {cut(name)} only as long as the folder stays where it is"
            faults.add("LP110", file, "in-again", text, found=shown, severity="warning")
        else:
            text = f"weight_map writes {shown} for {cut(name)}"
            faults.add("LP110", file, "spelling", text, found=shown, severity="info")


def _plainly_spelled(index: IndexFile, names: dict[str, str]) -> IndexFile:
    """The index with the plain names; `order` keeps the place in the order of reading that the spelling gave them."""
    if all(name == target for target, name in names.items()):
        return index
    order = tuple(reversed(dict.fromkeys(reversed(names.values()))))  # of two spellings of one file the later counts
    weight_map = {tensor: names[target] for tensor, target in index.weight_map.items()}
    return replace(index, weight_map=weight_map, order=order)


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
