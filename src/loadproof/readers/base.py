"""What a loading library does with a checkpoint, as three pure functions. One module per library."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from loadproof.core.checkpoint import Inventory, Manifest, Problem, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.core.outcome import Outcome


class Reader(Protocol):
    """A loading library. None of the methods raises on bad content; what cannot be said is `inconclusive`."""

    name: str

    def select(self, inventory: Inventory, config: ModelConfig, names_only: bool = False) -> Selection:
        """The weight files the library would open, in its order, or the exception it would raise."""
        ...

    def expect(
        self,
        config: ModelConfig,
        folder: str,
        *,
        class_name: str | None = None,
        source: str | None = None,
        names_only: bool = False,
        use_cache: bool = True,
        without_wall: bool = False,
    ) -> Expectation:
        """What the model class of the library's release creates.

        Text of strangers is evaluated in a process behind the operating system's wall, where there is none only if the
        user said that it may be done `without_wall`.
        """
        ...

    def expecting(
        self,
        config: ModelConfig,
        folder: str,
        *,
        class_name: str | None = None,
        source: str | None = None,
        names_only: bool = False,
        use_cache: bool = True,
        without_wall: bool = False,
    ) -> AbstractContextManager[Callable[[], Expectation]]:
        """The same for a caller who has something to do in between: what takes time to start, starts at once."""
        ...

    def react(self, problem: Problem) -> str | None:
        """The exception that the library raises when it opens the file of this problem; None where it takes the file."""
        ...

    def predict(self, manifest: Manifest, expectation: Expectation, config: ModelConfig) -> Outcome:
        """What the library would report, and whether it raises."""
        ...
