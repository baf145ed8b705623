"""Bytes -> Manifest: safetensors headers, shard indexes, and what else lies under a weight name."""

from loadproof.formats.inventory import take_inventory
from loadproof.formats.lookup import find_tensors, read_payload
from loadproof.formats.manifest import read_manifest

__all__ = ["find_tensors", "read_manifest", "read_payload", "take_inventory"]
