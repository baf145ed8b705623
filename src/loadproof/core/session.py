"""An open checkpoint, as readers and rules see it: what lies there, and what they may ask of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol, Self

from loadproof.core.checkpoint import FileInfo, Inventory, Manifest, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.tensors import Family, TensorRecord


class Checkpoint(Protocol):
    """One session over the place where the files of a checkpoint lie. Nobody else opens them.

    A context manager that may be entered again: inside, each file is opened once; outside, for one question.
    """

    inventory: Inventory
    follow_links: bool  # whether links may lead out of it

    @property
    def config(self) -> ModelConfig:
        """config.json, read once."""
        ...

    @property
    def folder(self) -> str | None:
        """The folder on this machine that holds it; None where it lies elsewhere."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def place_of(self, name: str) -> str:
        """A name as a library would write it: with the folder, or the URL, in front."""
        ...

    def look_up(self, name: str) -> FileInfo | None:
        """What a reader finds under a name, None where nothing is there: whether it was listed or not."""
        ...

    def small(self, name: str) -> bytes | None:
        """The content of a small file (16 MiB at most); None where it is not there or cannot be read."""
        ...

    def manifest(self, selection: Selection, names_only: bool = False) -> Manifest:
        """What the selected files hold; faults of the files are problems in it."""
        ...

    def families_of(self, files: tuple[str, ...]) -> tuple[Family, ...]:
        """The tensors of weight files that no reader selected."""
        ...

    def records(self, files: Iterable[str], names: Collection[str]) -> dict[str, TensorRecord]:
        """Where these tensors lie in these files; what is not found is left out."""
        ...

    def payload(self, record: TensorRecord, begin: int = 0, length: int | None = None) -> bytes:
        """Bytes of one tensor from `begin` on. Raises `storage.UnreadableError`, and ValueError for no such range."""
        ...

    def edited(self, inventory: Inventory, config: ModelConfig) -> Self:
        """The same files under another inventory and config: the checkpoint as edits would leave it."""
        ...
