"""Names and tensors of a checkpoint folder, for the live side: headers and index only until a tensor is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from loadproof.core.checkpoint import Manifest, Selection
from loadproof.core.families import names_of
from loadproof.runtime.errors import LoadError

if TYPE_CHECKING:
    from loadproof.formats import StoredCheckpoint


def read_folder(path: str) -> tuple[StoredCheckpoint, Selection, Manifest]:
    """What transformers would open in this folder. Raises FileNotFoundError, or LoadError when nothing can be read."""
    from loadproof.core.reading import Reading
    from loadproof.formats import checkpoint_at
    from loadproof.readers import get_reader

    checkpoint = checkpoint_at(path)
    selection = get_reader("transformers").select(checkpoint, Reading())
    if selection.error is not None:
        raise LoadError(f"{path}: {selection.error}")
    if not selection.format.startswith("safetensors"):
        raise LoadError(
            f"{path}: {selection.entry or 'no weight file'} is not safetensors; only safetensors is streamed"
        )
    return checkpoint, selection, checkpoint.manifest(selection)


def stored_names(path: str) -> list[str]:
    """Every tensor name that transformers would read from this folder. Raises FileNotFoundError, LoadError."""
    manifest = read_folder(path)[2]
    return [name for family in manifest.families for name in names_of(family.template, family.axes)]
