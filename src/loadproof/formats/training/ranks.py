"""Files of single ranks that only their names tell of: verl, Meta's consolidated files, Megatron's ranks, FSDP dumps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loadproof.core.training import TrainingState
from loadproof.formats.training.distributed import EXPORT
from loadproof.formats.training.families import below, families_of
from loadproof.formats.training.files import Files, above, inside, shown

_VERL = re.compile(r"model_world_size_(\d{1,5})_rank_(\d{1,5})\.pt")
_META = re.compile(r"consolidated\.(\d{2})\.pth")
_FSDP = re.compile(r"(?:pytorch_model|model|model_final)(?:_fsdp)?[._]rank[_.]?(\d{1,5})\.(?:bin|pt|pth)")
_MEGATRON = re.compile(r"mp_rank_(\d{2})(?:_(\d{3}))?")
_MEGATRON_FILES = ("model_optim_rng.pt", "model_rng.pt", "distrib_optim.pt")
_GAPS = "names do not tell how many ranks there must be: those at the end may be absent"


def ranks(files: Files) -> Iterator[TrainingState]:
    """One state for every folder with files of ranks."""
    yield from _verl(files)
    yield from _numbered(files)
    yield from _megatron(files)


def _matches(files: Files, pattern: re.Pattern[str]) -> dict[str, list[re.Match[str]]]:
    found: dict[str, list[re.Match[str]]] = {}
    for path in sorted(files.sizes):
        if match := pattern.fullmatch(path.rpartition("/")[2]):
            found.setdefault(above(path), []).append(match)
    return found


def _verl(files: Files) -> Iterator[TrainingState]:
    """Every rank holds DTensors, which name the whole shape (verl/model_merger)."""
    for folder, matches in _matches(files, _VERL).items():
        world = max(int(match[1]) for match in matches)
        there = {int(match[2]) for match in matches if int(match[1]) == world}
        absent = tuple(
            inside(folder, f"model_world_size_{world}_rank_{rank}.pt") for rank in range(world) if rank not in there
        )
        first = inside(folder, matches[0][0])
        found = files.torch(first)
        families = families_of(below(found.root), first) if found is not None else ()
        command = f"python -m verl.model_merger merge --backend fsdp --local_dir {shown(folder)} --target_dir OUT"
        yield TrainingState("verl FSDP state", folder, world, not absent, absent, command, families)


def _numbered(files: Files) -> Iterator[TrainingState]:
    """Files numbered by rank, of which nothing but the gaps can be told."""
    for pattern, kind in ((_META, "release in Meta's original layout"), (_FSDP, "state of single FSDP ranks")):
        for folder, matches in _matches(files, pattern).items():
            there = {int(match[1]) for match in matches}
            gaps = [rank for rank in range(max(there)) if rank not in there]
            if pattern is _META and not gaps:
                continue  # whole, as far as its names tell: no state of a run
            absent = tuple(f"the file of rank {rank}" for rank in gaps)
            complete = False if absent else None
            yield TrainingState(kind, folder, len(there), complete, absent, facts=(_GAPS,))


def _megatron(files: Files) -> Iterator[TrainingState]:
    parts: dict[str, set[tuple[int, int]]] = {}
    for path in files.sizes:
        folder = above(path)
        match = _MEGATRON.fullmatch(folder.rpartition("/")[2])
        if match and path.rpartition("/")[2] in _MEGATRON_FILES:
            parts.setdefault(above(folder), set()).add((int(match[1]), int(match[2] or 0)))
    for folder, there in sorted(parts.items()):
        tensor, pipeline = (max(numbers) + 1 for numbers in zip(*there, strict=True))
        wanted = [(t, p) for t in range(tensor) for p in range(pipeline)]
        absent = tuple(
            inside(folder, f"mp_rank_{t:02d}" + (f"_{p:03d}" if pipeline > 1 else ""))
            for t, p in wanted
            if (t, p) not in there
        )
        facts = (f"{tensor} tensor-parallel and {pipeline} pipeline-parallel parts, as far as the names tell",)
        complete = False if absent else None
        yield TrainingState("Megatron-LM state", folder, len(wanted), complete, absent, facts=facts, advice=EXPORT)
