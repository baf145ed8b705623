"""torch distributed checkpoints (DCP): plain ones, those of accelerate's FSDP, and those that Megatron and NeMo write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loadproof.core.training import TrainingState
from loadproof.formats.dcp import MOST_BYTES, Metadata, read_metadata
from loadproof.formats.torch.dtypes import safetensors_name
from loadproof.formats.training.families import Named, families_of
from loadproof.formats.training.files import Files, above, inside, shown

_PART = re.compile(r"__(\d+)_(\d+)\.distcp")
_FSDP = re.compile(r"(?:.*/)?pytorch_model_fsdp_\d+")  # accelerate/utils/fsdp_utils.py of 1.x
_OPTIMIZER = re.compile(r"(?:.*/)?optimizer_\d+")
_SHOWN = 3
EXPORT = "export it with the tool it was trained with (Megatron-Bridge: AutoBridge.export_ckpt)"


def distributed(files: Files) -> Iterator[TrainingState]:
    """One state for every folder that holds ``.metadata`` or ``.distcp`` files."""
    names = [path for path in files.sizes if path.rpartition("/")[2] == ".metadata" or path.endswith(".distcp")]
    for folder in sorted({above(path) for path in names}):
        if not _OPTIMIZER.fullmatch(folder):
            yield _state(files, folder)


def _state(files: Files, folder: str) -> TrainingState:
    kind, command = _kind(files, folder)
    here = [path for path in files.sizes if above(path) == folder and path.endswith(".distcp")]
    ranks = {int(match[1]) for path in here if (match := _PART.fullmatch(path.rpartition("/")[2]))}
    metadata = inside(folder, ".metadata")
    if metadata not in files.sizes:
        fact = "without .metadata nothing in the .distcp files can be found; rank 0 writes it last"
        return TrainingState(kind, folder, len(ranks) or None, False, (metadata,), command, (), (fact,))
    content = files.content(metadata, MOST_BYTES)
    found = read_metadata(content, metadata, files.faults) if content is not None else Metadata({}, {})
    if not found.is_read:
        fact = f"{metadata} does not say what the files hold"
        return TrainingState(kind, folder, len(ranks) or None, None, (), command, (), (fact,))
    absent = tuple(inside(folder, path) for path in sorted(found.files) if inside(folder, path) not in files.sizes)
    short = [
        path for path, least in sorted(found.files.items()) if files.sizes.get(inside(folder, path), least) < least
    ]
    facts = tuple(
        f"{inside(folder, path)} has {files.sizes[inside(folder, path)]:,} bytes, .metadata needs {found.files[path]:,}"
        for path in short[:_SHOWN]
    )
    wrong = [p.text for p in files.faults.result() if p.file == metadata and p.code in ("LP006", "LP008", "LP110")]
    facts += tuple(wrong[:_SHOWN])
    parts = len(found.files)
    is_complete = not absent and not short and not wrong
    families = families_of(_merged(found), metadata) if _is_of_names(kind) else ()
    advice = "" if command else EXPORT
    return TrainingState(kind, folder, parts, is_complete, absent, command, families, facts, advice)


def _kind(files: Files, folder: str) -> tuple[str, str]:
    """What it is, and the command that merges it."""
    content = files.content(inside(folder, "metadata.json")) or b""
    if b"sharded_backend" in content:
        return "Megatron distributed checkpoint", ""
    if _FSDP.fullmatch(folder or files.storage.place.rstrip("/")):
        return "FSDP sharded state (accelerate)", f"accelerate merge-weights {shown(folder)} OUT"
    command = f"python -m torch.distributed.checkpoint.format_utils dcp_to_torch {shown(folder)} OUT.pt"
    return "torch distributed checkpoint", command


def _is_of_names(kind: str) -> bool:
    """Megatron's own names say nothing of those that its exporter writes."""
    return not kind.startswith("Megatron")


def _merged(found: Metadata) -> list[Named]:
    """The names after the merge: accelerate takes the one outermost key away, if there is one only; of several, the model's."""
    keys = {entry.path[0] for entry in found.entries.values() if entry.path and isinstance(entry.path[0], str)}
    tensors = [entry for entry in found.entries.values() if entry.dtype is not None and entry.shape is not None]
    key = next(iter(keys)) if len(keys) == 1 else next((word for word in ("model", "state_dict") if word in keys), None)
    merged: list[Named] = []
    for entry in tensors:
        path = [str(part) for part in entry.path] or [entry.name]
        if key is not None and len(path) > 1 and path[0] == key:
            merged.append((".".join(path[1:]), safetensors_name(entry.dtype or ""), entry.shape))
        elif key is None:
            merged.append((entry.name, safetensors_name(entry.dtype or ""), entry.shape))
    return merged or [(e.name, safetensors_name(e.dtype or ""), e.shape) for e in tensors]
