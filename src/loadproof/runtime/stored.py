"""Names and tensors of a checkpoint folder, for the live side: headers and index only until a tensor is asked for."""

from __future__ import annotations

from loadproof.core.checkpoint import Inventory, Manifest, Selection
from loadproof.core.families import names_of
from loadproof.runtime.errors import LoadError


def read_folder(path: str) -> tuple[Inventory, Selection, Manifest]:
    """What transformers would open in this folder. Raises FileNotFoundError, or LoadError when nothing can be read."""
    from loadproof.config import read_config
    from loadproof.core.reading import Reading
    from loadproof.formats import read_manifest, take_inventory
    from loadproof.readers import get_reader

    inventory = take_inventory(path)
    config = read_config(inventory)
    selection = get_reader("transformers").select(inventory, config, Reading())
    if selection.error is not None:
        raise LoadError(f"{path}: {selection.error}")
    if not selection.format.startswith("safetensors"):
        raise LoadError(
            f"{path}: {selection.entry or 'no weight file'} is not safetensors; only safetensors is streamed"
        )
    return inventory, selection, read_manifest(inventory, selection)


def stored_names(path: str) -> list[str]:
    """Every tensor name that transformers would read from this folder. Raises FileNotFoundError, LoadError."""
    manifest = read_folder(path)[2]
    return [name for family in manifest.families for name in names_of(family.template, family.axes)]
