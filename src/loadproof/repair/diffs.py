"""Differences for people: headers folded into families, texts as a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from loadproof.core.families import as_products, fold, show, split_name
from loadproof.core.tensors import Shape
from loadproof.repair.draft import Shard
from loadproof.repair.header import Header

TEXT_LIMIT = 200_000  # characters: a longer text is counted, not shown
LINES = 40
FOLDED = 200  # renames of one file that are folded for display


def header_diff(header: Header | None, shard: Shard) -> tuple[str, ...]:
    """One line per family: renamed, reshaped, removed, added."""
    now = {e.origin[1]: (name, e) for name, e in shard.entries.items() if e.origin}
    before = header.tensors if header else {}
    renamed, reshaped = [], []
    for old, tensor in before.items():
        name, entry = now.get(old, (old, None))
        if name != old:
            renamed.append((old, name))
        if entry is not None and entry.shape != tensor.shape:
            reshaped.append((name, (tensor.shape, entry.shape)))
    lines = _renames(renamed)
    lines += [f"~ {show(t, axes)}  {_size(old)} -> {_size(new)}" for t, axes, (old, new) in fold(reshaped)]
    gone = [name for name in before if name not in now]
    lines += [f"- {line}" for line in _families((name, before[name].dtype, before[name].shape) for name in gone)]
    new = [(name, entry.dtype, entry.shape) for name, entry in shard.entries.items() if entry.origin is None]
    lines += [f"+ {line}" for line in _families(new)]
    if header is not None and (shard.metadata or {}) != (header.metadata or {}):
        lines.append(f"~ __metadata__  {header.metadata} -> {shard.metadata}")
    return tuple(lines)


def _renames(pairs: Sequence[tuple[str, str]]) -> list[str]:
    groups: dict[tuple[str, str, bool], list[tuple[int, ...]]] = {}
    for old, new in pairs[:FOLDED]:
        (template, indices), (target, new_indices) = split_name(old), split_name(new)
        groups.setdefault((template, target, indices == new_indices), []).append(indices)
    lines = [
        f"{show(template, axes)} -> {show(target, axes) if alike else target}"
        for (template, target, alike), found in groups.items()
        for axes in as_products(found)
    ]
    return lines if len(pairs) <= FOLDED else [*lines, f"... {len(pairs) - FOLDED:,} more tensors get new names"]


def _families(items: Iterable[tuple[str, str, Shape]]) -> list[str]:
    return [
        f"{show(t, axes)}  {dtype} {_size(shape)}" for t, axes, (dtype, shape) in fold((n, (d, s)) for n, d, s in items)
    ]


def _size(shape: Shape) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"


def text_diff(old: str | None, new: str) -> tuple[str, ...]:
    """A unified diff without its file lines; long texts are only counted."""
    old = old or ""
    if len(old) + len(new) > TEXT_LIMIT:
        before, after = old.splitlines(), new.splitlines()
        gone, came = len(set(before) - set(after)), len(set(after) - set(before))
        return (f"{gone:,} lines go, {came:,} lines come, {len(after):,} lines in all",)
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=1, lineterm=""))[2:]
    return (*lines[:LINES], f"... {len(lines) - LINES:,} more lines") if len(lines) > LINES else tuple(lines)
