"""The part of a reader that does not depend on the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

from loadproof.core.case import Case
from loadproof.core.config import ModelConfig
from loadproof.core.edits import Edit
from loadproof.core.expectation import Expectation, Kin
from loadproof.core.outcome import Outcome
from loadproof.core.reading import Reading
from loadproof.core.session import Checkpoint
from loadproof.core.tensors import Family
from loadproof.readers.base import Reader


class PlainReader(Reader):
    """What is the same for every reader that builds and then loads: a reader says `select`, `build`, `load` and `react`."""

    def building(self, checkpoint: Checkpoint, reading: Reading) -> AbstractContextManager[Callable[[], Expectation]]:
        """Built when it is asked for: nothing has to be started before."""
        return nullcontext(lambda: self.build(checkpoint, reading))

    def with_formulas(self, expectation: Expectation, config: ModelConfig, reading: Reading) -> Expectation:
        """The expectation as it is: this reader knows sizes as numbers."""
        return expectation

    def alike(self, case: Case, names: Iterable[str]) -> Iterator[Kin]:
        """None: this reader has no list of classes."""
        return iter(())

    def build_if(self, case: Case, edits: Sequence[Edit]) -> Expectation | None:
        """What the class would expect under the edited config; None where that cannot be said for the same release."""
        from loadproof.readers.whatif import build_if

        return build_if(self, case, edits)

    def what_if(self, case: Case, edits: Sequence[Edit], families: Sequence[Family] | None) -> Outcome | None:
        """The outcome under the edited config and with other stored tensors; None where it cannot be said."""
        from loadproof.readers.whatif import what_if

        return what_if(self, case, edits, families)

    def as_class(
        self, case: Case, kin: Kin, config: ModelConfig, families: Sequence[Family]
    ) -> tuple[Expectation, Outcome] | None:
        """What that class expects under the config, and what becomes of these stored tensors."""
        from loadproof.readers.whatif import as_class

        return as_class(self, case, kin, config, families)
