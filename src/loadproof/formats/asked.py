"""What a case may ask of its folder, once it is judged: whether a name is there, and what a file beside it holds."""

from __future__ import annotations

from loadproof.core.checkpoint import FileInfo, Inventory, Selection
from loadproof.core.tensors import Family
from loadproof.formats.inventory import look_up
from loadproof.formats.manifest import read_manifest


class Folder:
    """The folder of an inventory, as `core.case.AskedFolder`."""

    def look_up(self, inventory: Inventory, name: str) -> FileInfo | None:
        """What a reader finds under a name, None where nothing is there."""
        return look_up(inventory, name)

    def families(self, inventory: Inventory, files: tuple[str, ...]) -> tuple[Family, ...]:
        """The tensors of safetensors files that no reader selected."""
        return read_manifest(inventory, Selection(None, files, "safetensors")).families
