"""What a loading library does with a checkpoint, as a few pure functions. One module or folder per library."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from loadproof.core.case import AskedReader
from loadproof.core.checkpoint import Manifest, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.core.outcome import Outcome
from loadproof.core.reading import Reading
from loadproof.core.session import Checkpoint


class Reader(AskedReader, Protocol):
    """A loading library. None of the methods raises on bad content; what cannot be said is `inconclusive`.

    What a case may ask as well (`react`, `build_if`, `what_if`, `alike`, `as_class`) stands in `core.case`.
    """

    name: str

    def select(self, checkpoint: Checkpoint, reading: Reading) -> Selection:
        """The weight files the library would open, in its order, or the exception it would raise."""
        ...

    def build(self, checkpoint: Checkpoint, reading: Reading) -> Expectation:
        """What the model class of the library's release creates.

        Text of strangers is evaluated in a process behind the operating system's wall; where there is none, only if the
        reading says that it may be.
        """
        ...

    def building(self, checkpoint: Checkpoint, reading: Reading) -> AbstractContextManager[Callable[[], Expectation]]:
        """The same for a caller who has something to do in between: what takes time to start, starts at once."""
        ...

    def with_formulas(self, expectation: Expectation, config: ModelConfig, reading: Reading) -> Expectation:
        """The expectation with each size as a formula over config fields, where that can be said."""
        ...

    def load(
        self, manifest: Manifest, expectation: Expectation, config: ModelConfig, reading: Reading | None = None
    ) -> Outcome:
        """What the library would report, and whether it raises. `reading` is for a library whose loading is evaluated."""
        ...
