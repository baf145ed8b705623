"""Folders that another program reads as a whole: NeMo, Orbax, vLLM's sharded state, a pipeline, a checkpoint one level down."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loadproof.core.known_names import WEIGHTS
from loadproof.core.training import OF_ITS_OWN, TrainingState
from loadproof.formats.training.files import Files, above, shown
from loadproof.formats.training.state_dicts import state_dicts

_SHOWN = 4
_ORBAX = ("_METADATA", "_CHECKPOINT_METADATA", "manifest.ocdbt", "_sharding")
_SHARDED = re.compile(r"model-rank-(\d{1,5})-part-(\d{1,5})\.safetensors")


def whole(files: Files) -> Iterator[TrainingState]:
    """What lies there; asked only where no state of ranks was found."""
    yield from _below(files)
    yield from _orbax(files)
    yield from _nemo(files)
    yield from state_dicts(files)
    yield from _sharded_state(files)
    yield from _diffusers(files)


def _below(files: Files) -> Iterator[TrainingState]:
    """A checkpoint one folder down: a run's ``checkpoint-500``, a module of sentence-transformers, files unpacked too deep."""
    if "model_index.json" in files.sizes:
        return
    holds = sorted(folder for folder in files.folders if any(f"{folder}/{name}" in files.sizes for name in WEIGHTS))
    if holds:
        facts = tuple(f"loadproof check {shown(folder)}" for folder in holds[:_SHOWN])
        more = (f"and {len(holds) - _SHOWN} more",) if len(holds) > _SHOWN else ()
        advice = f"load {holds[0]} itself" + (", or move its files up into this folder" if len(holds) == 1 else "")
        yield TrainingState(OF_ITS_OWN, holds[0], facts=(*facts, *more), advice=advice)


def _orbax(files: Files) -> Iterator[TrainingState]:
    for folder in sorted({above(path) for path in files.sizes if path.rpartition("/")[2] in _ORBAX})[:1]:
        fact = "its arrays lie in OCDBT or zarr files; the converter of its own program writes a checkpoint (MaxText: "
        yield TrainingState(
            "Orbax checkpoint (JAX)", folder, facts=(fact + "checkpoint_conversion/to_huggingface.py)",)
        )


def _nemo(files: Files) -> Iterator[TrainingState]:
    for path in sorted(path for path in files.sizes if "/" not in path):
        if path.endswith(".nemo"):
            command = f"nemo llm export path={shown(path)} target=hf output_path=OUT"
            yield TrainingState("NeMo archive", path, command=command)
    if "context" in files.folders and "weights" in files.folders:
        yield TrainingState("NeMo 2 checkpoint", "", command="nemo llm export path={folder} target=hf output_path=OUT")


def _sharded_state(files: Files) -> Iterator[TrainingState]:
    """vLLM's ``sharded_state``: every tensor-parallel rank has its files (vllm/model_executor/model_loader)."""
    found = [match for path in files.sizes if (match := _SHARDED.fullmatch(path))]
    if not found:
        return
    there = {int(match[1]) for match in found}
    absent = tuple(f"model-rank-{rank}-part-0.safetensors" for rank in range(max(there)) if rank not in there)
    fact = (
        f"vLLM loads it with load_format='sharded_state' and tensor_parallel_size={max(there) + 1}, nothing else does"
    )
    yield TrainingState("vLLM sharded state", "", max(there) + 1, False if absent else None, absent, facts=(fact,))


def _diffusers(files: Files) -> Iterator[TrainingState]:
    """A pipeline: every component is a checkpoint in a folder of its own."""
    if "model_index.json" not in files.sizes:
        return
    parts = sorted(folder for folder in files.folders if "/" not in folder)
    holds = [part for part in parts if any(path.startswith(f"{part}/") and _is_weight(path) for path in files.sizes)]
    facts = tuple(f"check each: loadproof check {shown(part)}" for part in holds if part.startswith("text_encoder"))
    names = ", ".join(holds)
    yield TrainingState("diffusers pipeline", "", len(holds), facts=(f"its components: {names}", *facts))


def _is_weight(path: str) -> bool:
    return path.endswith((".safetensors", ".bin"))
