"""`load_checkpoint`: stream safetensors shards into a live model, one tensor at a time.

Everything is compared by name and shape before the first byte is copied; then each stored tensor is copied into its
parameter in place, so ties, optimizers and devices stay as they are. Peak extra memory: one tensor.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from loadproof.core.checkpoint import Manifest, Selection
from loadproof.core.families import names_of
from loadproof.core.session import Checkpoint
from loadproof.core.tensors import TensorRecord
from loadproof.runtime.errors import LoadError
from loadproof.runtime.layer_plan import LayerPlan
from loadproof.runtime.mapper import build_state_dict_mapper
from loadproof.runtime.placement import is_dtensor
from loadproof.runtime.stored import read_folder
from loadproof.runtime.unwrap import unwrap


class LoadResult(Struct, frozen=True):
    """Names: `loaded` were copied; `missing` keep their values; `unexpected` were not used; `bytes` copied."""

    loaded: tuple[str, ...]
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]
    bytes: int


def load_checkpoint(
    model: Any,
    path: str | os.PathLike[str],
    plan: LayerPlan | None = None,
    strict: bool = True,
    progress: bool | None = None,
) -> LoadResult:
    """Copy the tensors of a checkpoint folder into `model` by name.

    plan: validated against the stored names first. strict: every parameter must be stored (ties count once) and every
    stored tensor must have a place; else differences are returned. progress: a bar on stderr; None: on a terminal.
    Raises FileNotFoundError, LayerPlanError, and LoadError that lists every name and shape in disagreement; the model
    is then untouched.
    """
    inner, _ = unwrap(model)
    folder = os.fspath(path)
    checkpoint, selection, manifest = read_folder(folder)
    _refuse_broken(folder, manifest)
    sources = _stored(checkpoint, selection, manifest)
    wanted = set(build_state_dict_mapper(plan)(dict.fromkeys(sources))) if plan is not None else set(sources)
    state = inner.state_dict(keep_vars=True)
    missing, unexpected = _missing(state, sources), tuple(sorted(n for n in sources if n not in state))
    wrong = [
        f"{n}: the model has {list(state[n].shape)}, the file {list(sources[n].shape)}"
        for n in sorted(sources) if n in state and tuple(state[n].shape) != sources[n].shape
    ]  # fmt: skip
    if wrong or (strict and (missing or unexpected)):
        raise LoadError(_message(folder, missing, unexpected, wrong, strict))
    chosen = [s for s in sources.values() if s.name in state and s.name in wanted]
    copied = sum(_copy(checkpoint, chosen, state, _show_progress(progress)))
    return LoadResult(tuple(s.name for s in chosen), missing, unexpected, copied)


def _refuse_broken(folder: str, manifest: Manifest) -> None:
    broken = [p for p in manifest.problems if p.severity == "error"]
    if broken:
        raise LoadError(f"{folder}: " + "; ".join(f"[{p.code}] {p.file}: {p.text}" for p in broken[:5]))


def _stored(checkpoint: Checkpoint, selection: Selection, manifest: Manifest) -> dict[str, TensorRecord]:
    """{name: where it lies}; of equal names the later file counts, as for the reader."""
    names = [name for family in manifest.families for name in names_of(family.template, family.axes)]
    return checkpoint.records(selection.files, names)


def _missing(state: dict[str, Any], sources: dict[str, TensorRecord]) -> tuple[str, ...]:
    """Parameters that no stored tensor fills, directly or through another name of the same Parameter (a tie)."""
    filled = {id(state[name]) for name in sources if name in state}
    return tuple(
        sorted(n for n, p in state.items() if n not in sources and id(p) not in filled and hasattr(p, "shape"))
    )


def _message(folder: str, missing: tuple[str, ...], unexpected: tuple[str, ...], wrong: list[str], strict: bool) -> str:
    parts = [f"{folder} does not fit this model; nothing was copied."]
    if wrong:
        parts.append(_list("other shapes", wrong))
    if strict and missing:
        parts.append(_list("not stored", missing))
    if strict and unexpected:
        parts.append(_list("stored, but not in the model", unexpected))
    parts.append(f"`loadproof check {folder}` tells the cause; strict=False takes what fits by name.")
    return "\n".join(parts)


def _list(title: str, lines: Any) -> str:
    shown = [f"  {line}" for line in lines[:10]]
    return f"{len(lines)} {title}:\n" + "\n".join(shown) + ("\n  ..." if len(lines) > 10 else "")


def _copy(
    checkpoint: Checkpoint, sources: list[TensorRecord], state: dict[str, Any], advance: Callable[[Any], Any]
) -> Iterator[int]:
    import torch
    from safetensors import safe_open

    by_file: dict[str, list[str]] = {}
    for source in sources:
        by_file.setdefault(source.file, []).append(source.name)
    with torch.no_grad():
        for file, names in advance(sorted(by_file.items())):
            with safe_open(checkpoint.place_of(file), framework="pt") as shard:
                for name in names:
                    yield _copy_one(state[name], shard.get_tensor(name))


def _copy_one(parameter: Any, value: Any) -> int:
    if is_dtensor(parameter):
        from torch.distributed.tensor import distribute_tensor

        value = distribute_tensor(value.to(parameter.device), parameter.device_mesh, parameter.placements)
    parameter.detach().copy_(value)
    return int(value.numel() * value.element_size())


def _show_progress(progress: bool | None) -> Callable[[Any], Any]:
    import sys

    if not (sys.stderr.isatty() if progress is None else progress):
        return lambda items: items
    from rich.console import Console
    from rich.progress import track

    return lambda items: track(items, description="loading shards", console=Console(stderr=True))
