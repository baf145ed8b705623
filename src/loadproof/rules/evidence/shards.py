"""Which files belong together: the index that decides, the shards that are there, and what lies beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from loadproof.core.case import Case
from loadproof.core.checkpoint import IndexFile
from loadproof.core.edits import Fix, RebuildIndex
from loadproof.core.families import fold, show
from loadproof.lexicon.shards import numbered

MOST_GROUPED = 300_000  # names of files that are not there; the largest models have 223,000


def deciding_index(case: Case) -> IndexFile | None:
    """The index that the reader follows, None when a single file is read."""
    return next((index for index in case.inventory.indexes if index.path == case.selection.entry), None)


def set_of(index: IndexFile) -> tuple[str, ...]:
    return tuple(sorted(index.shards))


def absent_shards(case: Case, index: IndexFile) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(named and not there, named and there); of paths that are not looked at nothing is said."""
    there = {file.path for file in case.inventory.files}
    named = [file for file in set_of(index) if file in there or not is_elsewhere(file)]
    return tuple(f for f in named if f not in there), tuple(f for f in named if f in there)


def is_elsewhere(file: str) -> bool:
    """Whether a path of an index is absolute or climbs: where it leads is not looked at here."""
    return file.startswith("/") or ".." in file.split("/")


def present_shards(case: Case, index: IndexFile) -> tuple[str, ...]:
    return absent_shards(case, index)[1]


def beside(entry: str | None) -> tuple[str, ...]:
    """The index names that this single file hides."""
    if entry is None or not entry.endswith((".safetensors", ".bin")):
        return ()
    stem, _, ending = entry.rpartition(".")
    head, _, variant = stem.partition(".")
    return (f"{entry}.index.json", f"{head}.{ending}.index.{variant}.json")


def is_numbered(file: str) -> bool:
    return numbered(file) is not None


def numbered_set(case: Case, index: str) -> tuple[str, ...]:
    """The shards beside a broken index, when they form one complete numbered set; else empty."""
    ending = ".bin" if ".bin." in index else ".safetensors"
    here = [f.path for f in case.inventory.files if f.path.endswith(ending) and f.kind in ("safetensors", "torch")]
    sets = _sets(file for file in here if "/" not in file)
    complete = [tuple(files.values()) for (_, total), files in sets.items() if not absent_numbers(set(files), total)]
    return complete[0] if len(complete) == 1 else ()


def absent_numbers(there: set[int], total: int) -> list[int]:
    """What a numbered set lacks (of the first thousand): it counts from 1, or from 0 where there is a shard 0."""
    wanted = range(min(total, 1000)) if 0 in there else range(1, min(total, 1000) + 1)
    return [number for number in wanted if number not in there]


def _sets(files: Iterable[str]) -> dict[tuple[str, int], dict[int, str]]:
    """{(stem, total): {number: file}}."""
    sets: dict[tuple[str, int], dict[int, str]] = {}
    for file in sorted(files):
        if found := numbered(file):
            sets.setdefault((found["stem"], int(found["total"])), {})[int(found["number"])] = file
    return sets


def stray_shards(case: Case) -> tuple[str, ...]:
    """Safetensors files in the folder itself that neither the index nor the reader takes, nor another index names."""
    named = {file for index in case.inventory.indexes for file in index.weight_map.values()} | set(case.selection.files)
    return tuple(
        file.path
        for file in case.inventory.files
        if file.path.endswith(".safetensors")
        and file.kind not in ("special", "unreadable")
        and "/" not in file.path
        and file.path not in named
        and not file.path.startswith(("consolidated", "adapter_model"))
    )


def stale_index_fix(case: Case, index: IndexFile) -> tuple[Fix, ...]:
    """An index that names absent files while a complete other set lies there was left by an earlier save."""
    if present_shards(case, index):
        return ()
    shards = numbered_set(case, index.path)
    if not shards or set(shards) & set(index.weight_map.values()):
        return ()
    title = f"the folder holds a complete set of {len(shards)} other shards: rebuild {index.path} from them"
    return (Fix(title, "lossless", (RebuildIndex(index.path, shards),)),)


def rival_files(case: Case) -> list[tuple[str, list[str]]]:
    """(who prefers them, files) for weights of other formats beside the ones that are read."""
    read = set(case.selection.files)
    others = [f for f in case.inventory.files if f.path not in read and "/" not in f.path and f.kind != "lfs-pointer"]
    consolidated = [f.path for f in others if re.fullmatch(r"consolidated.*\.safetensors", f.path)]
    pickled = [f.path for f in others if re.fullmatch(r"pytorch_model.*\.bin|consolidated.*\.pth", f.path)]
    gguf = [f.path for f in others if f.path.endswith(".gguf")]
    found = [
        ("vLLM reads these instead of the shards; mistral tools too", consolidated),
        ("older readers and use_safetensors=False read these", pickled),
        ("llama.cpp reads these", gguf),
    ]
    return [(who, files) for who, files in found if files and not read & set(files)]


def listed(files: Sequence[str], shown: int = 3) -> str:
    """``a, b, c and 4 more``."""
    more = f" and {len(files) - shown} more" if len(files) > shown else ""
    return ", ".join(list(files)[:shown]) + more


def held_lines(names: Sequence[str], shown: int = 2) -> list[str]:
    """What these tensors are, as families, the largest first; too many to be grouped are counted alone."""
    if len(names) > MOST_GROUPED:
        return [f"held {len(names):,} tensors, too many to be grouped"]
    folded = sorted(fold((name, None) for name in names), key=lambda found: -max(map(len, found[1]), default=0))
    lines = [show(template, axes) for template, axes, _ in folded[:shown]]
    return lines + ([f"and {len(folded) - shown} families more"] if len(folded) > shown else [])


def size_of(case: Case, files: Iterable[str]) -> str:
    wanted = set(files)
    size = sum(file.size for file in case.inventory.files if file.path in wanted)
    return f"{size:,} bytes"
