"""Read-only access to the bytes of a checkpoint, wherever it lies."""

from loadproof.storage.base import Entry, Ranged, Storage, StoredFile, UnreadableError, place_of
from loadproof.storage.folder import Folder, open_folder
from loadproof.storage.paths import plain, why_unsafe
from loadproof.storage.schemes import open_storage

__all__ = [
    "Entry",
    "Folder",
    "Ranged",
    "Storage",
    "StoredFile",
    "UnreadableError",
    "open_folder",
    "open_storage",
    "place_of",
    "plain",
    "why_unsafe",
]
