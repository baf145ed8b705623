"""Which file of an adapter peft opens (peft/utils/save_and_load.py, `load_peft_weights` of 0.21)."""

from __future__ import annotations

from loadproof.core.checkpoint import Inventory, Selection
from loadproof.core.known_names import ADAPTER_CONFIG, ADAPTER_SAFE, ADAPTER_TORCH, WEIGHTS
from loadproof.lexicon.adapters import FILES

_NO_FILE = "LocalEntryNotFoundError: Cannot find the requested files in the disk cache"


def is_adapter(inventory: Inventory) -> bool:
    """Whether the folder is that of an adapter, perhaps another tool's: its files, and no weights of a model beside them."""
    if inventory.single_file is not None:
        return inventory.single_file in (ADAPTER_SAFE, ADAPTER_TORCH)
    names = {info.path for info in inventory.files}
    return bool(names & {ADAPTER_CONFIG, ADAPTER_SAFE, *FILES}) and not names & {*WEIGHTS}


def select(inventory: Inventory) -> Selection:
    """The one file that peft reads, or the exception that it raises where there is none."""
    names = {info.path for info in inventory.files}
    entry = next((name for name in (ADAPTER_SAFE, ADAPTER_TORCH) if name in names), None)
    if entry is None:
        return Selection(None, (), "none", f"{_NO_FILE} (no {ADAPTER_SAFE} in {inventory.location})")
    shadowed = tuple(name for name in (ADAPTER_TORCH,) if name in names and name != entry)
    return Selection(entry, (entry,), "safetensors" if entry == ADAPTER_SAFE else "torch", shadowed=shadowed)
