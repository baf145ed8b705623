"""The plainest choice of weight files, so that these tests need no reader."""

from __future__ import annotations

from loadproof.core.checkpoint import Inventory, Selection


def select(inventory: Inventory) -> Selection:
    """A named file, ``model.safetensors``, the first index, or the first torch file, in this order."""
    names = [info.path for info in inventory.files]
    single = inventory.single_file or ("model.safetensors" if "model.safetensors" in names else None)
    if single:
        return Selection(single, (single,), "safetensors")
    for index in inventory.indexes:
        return Selection(index.path, tuple(sorted(set(index.weight_map.values()))), "safetensors-sharded")
    torch = tuple(name for name in names if name.endswith(".bin"))[:1]
    return Selection(torch[0], torch, "torch") if torch else Selection(None, (), "none")
