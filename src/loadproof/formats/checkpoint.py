"""`StoredCheckpoint`: the session of `core.session`, over any storage."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

from loadproof.config.read import read_adapter_config, read_config, read_small
from loadproof.config.tokenizer import read_tokenizer
from loadproof.core.checkpoint import FileInfo, Inventory, Manifest, Selection, Tokenizer
from loadproof.core.config import ModelConfig
from loadproof.core.tensors import Family, TensorRecord
from loadproof.formats.inventory import look_up, take_inventory
from loadproof.formats.lookup import find_tensors, read_payload
from loadproof.formats.manifest import read_manifest
from loadproof.storage import Storage, open_storage, place_of


class StoredCheckpoint:
    """See `core.session.Checkpoint`."""

    def __init__(
        self, storage: Storage, inventory: Inventory, config: ModelConfig | None = None, follow_links: bool = True
    ) -> None:
        self.storage = storage
        self.inventory = inventory
        self.follow_links = follow_links
        if config is not None:
            self.config = config

    def __enter__(self) -> StoredCheckpoint:
        self.storage.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.storage.__exit__()

    @property
    def folder(self) -> str | None:
        return self.storage.folder

    @cached_property
    def config(self) -> ModelConfig:
        with self.storage as storage:
            return read_config(storage, self.inventory)

    def of_adapter(self) -> StoredCheckpoint:
        """The same files with adapter_config.json as their config."""
        with self.storage as storage:
            return self.edited(self.inventory, read_adapter_config(storage))

    @cached_property
    def tokenizer(self) -> Tokenizer | None:
        with self.storage as storage:
            return read_tokenizer(storage, self.inventory)

    def place_of(self, name: str) -> str:
        return place_of(self.storage, name)

    def look_up(self, name: str) -> FileInfo | None:
        with self.storage as storage:
            return look_up(storage, self.inventory, name)

    def small(self, name: str) -> bytes | None:
        with self.storage as storage:
            return read_small(storage, name)[0]

    def manifest(self, selection: Selection, names_only: bool = False) -> Manifest:
        with self.storage as storage:
            return read_manifest(storage, self.inventory, selection, names_only)

    def families_of(self, files: tuple[str, ...]) -> tuple[Family, ...]:
        return self.manifest(Selection(None, files, "safetensors")).families

    def records(self, files: Iterable[str], names: Collection[str]) -> dict[str, TensorRecord]:
        with self.storage as storage:
            return find_tensors(storage, files, names)

    def payload(self, record: TensorRecord, begin: int = 0, length: int | None = None) -> bytes:
        with self.storage as storage:
            return read_payload(storage, record, begin, length)

    def edited(self, inventory: Inventory, config: ModelConfig) -> StoredCheckpoint:
        return StoredCheckpoint(self.storage, inventory, config, self.follow_links)


def checkpoint_at(location: str | Storage, *, follow_links: bool = True) -> StoredCheckpoint:
    """What lies at a location (`storage.schemes` says which there are), or in a storage.

    Raises FileNotFoundError, NotADirectoryError or PermissionError where the location itself cannot be opened; everything
    found inside becomes a problem.
    """
    storage = open_storage(location, follow_links=follow_links) if isinstance(location, str) else location
    named = location if isinstance(location, str) else storage.place
    with storage:
        return StoredCheckpoint(storage, take_inventory(storage, named), follow_links=follow_links)
