"""Bytes -> Manifest: safetensors headers, shard indexes, and what else lies under a weight name."""

from loadproof.core.case import enter_folder
from loadproof.formats.asked import Folder
from loadproof.formats.inventory import take_inventory
from loadproof.formats.lookup import find_tensors, read_payload
from loadproof.formats.manifest import read_manifest

enter_folder(Folder())

__all__ = ["find_tensors", "read_manifest", "read_payload", "take_inventory"]
