"""Everything the rules may look at and ask, and the answer made of it.

A case keeps the name of its reader and the checkpoint that it is about. A reader enters itself here under its name, so
that rules and reports know none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from loadproof.core.checkpoint import (
    DonatedTie,
    FileInfo,
    Inventory,
    Manifest,
    Problem,
    Selection,
    TieValue,
    Tokenizer,
)
from loadproof.core.config import LayerPlan, ModelConfig
from loadproof.core.coverage import Skip
from loadproof.core.edits import Edit
from loadproof.core.expectation import Expectation, Kin
from loadproof.core.findings import Accepted, Finding
from loadproof.core.live import LiveModel
from loadproof.core.outcome import Outcome, Row, Verdict
from loadproof.core.reading import Reading
from loadproof.core.session import Checkpoint
from loadproof.core.shown import Shown
from loadproof.core.symptom import Symptom
from loadproof.core.tensors import Family


class Timings(Struct, frozen=True):
    read_s: float = 0.0
    expect_s: float = 0.0
    total_s: float = 0.0


class Case(Struct, frozen=True):
    """Everything the rules may look at. A stage that did not run is None."""

    inventory: Inventory
    selection: Selection
    manifest: Manifest
    config: ModelConfig
    expectation: Expectation
    outcome: Outcome
    config_plan: LayerPlan | None = None
    tensor_plan: LayerPlan | None = None
    tokenizer: Tokenizer | None = None
    symptom: Symptom | None = None
    tie_values: tuple[TieValue, ...] = ()
    donated_ties: tuple[DonatedTie, ...] = ()
    live: LiveModel | None = None
    equal_duplicates: tuple[str, ...] = ()  # names stored in several files with the same bytes in all of them
    reading: Reading = Reading()  # how the user asked for it, to read it again under another config
    plan_differs: tuple[int, ...] = ()  # layers on which the two plans contradict each other
    checkpoint: Checkpoint | None = None  # of an error text and of a live model there is none
    explained: tuple[Row, ...] = ()  # rows that rules of higher rank explain already: no longer in the outcome

    def reaction(self, problem: Problem) -> str | None:
        """The exception that the reader raises over this fault; None where it takes the file."""
        reader = asked(self.expectation.reader)
        return None if reader is None else reader.react(problem)

    def build_if(self, edits: Sequence[Edit]) -> Expectation | None:
        """What the class would expect under the edited config; None where that cannot be said for the same release."""
        reader = asked(self.expectation.reader)
        return None if reader is None else reader.build_if(self, edits)

    def what_if(self, edits: Sequence[Edit] = (), families: Sequence[Family] | None = None) -> Outcome | None:
        """The outcome under the edited config and with other stored tensors; None where it cannot be said."""
        reader = asked(self.expectation.reader)
        return None if reader is None else reader.what_if(self, edits, families)

    def alike(self, names: Iterable[str]) -> Iterator[Kin]:
        """The reader's own classes in the order in which their words resemble these names. It ranks and proves nothing."""
        reader = asked(self.expectation.reader)
        return iter(()) if reader is None else reader.alike(self, names)

    def as_class(self, kin: Kin, config: ModelConfig, families: Sequence[Family]) -> tuple[Expectation, Outcome] | None:
        """What that class expects under the config, and what becomes of these stored tensors; None where it cannot be
        built."""
        reader = asked(self.expectation.reader)
        return None if reader is None else reader.as_class(self, kin, config, families)

    def look_up(self, name: str) -> FileInfo | None:
        """What a reader finds under a name of the checkpoint, None where nothing is there."""
        return None if self.checkpoint is None else self.checkpoint.look_up(name)

    def families_of(self, files: tuple[str, ...]) -> tuple[Family, ...]:
        """The tensors of weight files that the reader did not select."""
        return () if self.checkpoint is None else self.checkpoint.families_of(files)


class AskedReader(Protocol):
    """The part of a reader that a case hands on."""

    def react(self, problem: Problem) -> str | None:
        """The exception that the library raises when it opens the file of this problem; None where it takes the file."""
        ...

    def build_if(self, case: Case, edits: Sequence[Edit]) -> Expectation | None:
        """What the class would expect under the edited config; None where that cannot be said for the same release."""
        ...

    def what_if(self, case: Case, edits: Sequence[Edit], families: Sequence[Family] | None) -> Outcome | None:
        """The outcome under the edited config and with other stored tensors (None: those that are stored)."""
        ...

    def alike(self, case: Case, names: Iterable[str]) -> Iterator[Kin]:
        """Its own classes in the order in which their words resemble these names."""
        ...

    def as_class(
        self, case: Case, kin: Kin, config: ModelConfig, families: Sequence[Family]
    ) -> tuple[Expectation, Outcome] | None:
        """What that class expects under the config, and what becomes of these stored tensors."""
        ...


_MAKERS: dict[str, Callable[[], AskedReader]] = {}


def enter(name: str, make: Callable[[], AskedReader]) -> None:
    """Let cases that name this reader ask it."""
    _MAKERS[name] = make


def asked(name: str) -> AskedReader | None:
    """The reader of that name, None where a case has none (an error text alone, a live model)."""
    make = _MAKERS.get(name)
    return None if make is None else make()


class Report(Shown, frozen=True):
    """The answer: input of every output format."""

    case: Case
    verdict: Verdict
    findings: tuple[Finding, ...]
    unexplained: tuple[Row, ...]
    checked: tuple[str, ...]
    skipped: tuple[Skip, ...]
    timings: Timings = Timings()
    accepted: tuple[
        Accepted, ...
    ] = ()  # findings that the user's policy sets apart; they carry the verdict all the same
    regraded: tuple[Finding, ...] = ()  # findings to which the policy gives another severity, as they were

    @property
    def kind(self) -> str:  # type: ignore[override]
        """A report that was asked about an error text is shown as the answer to it."""
        return "check" if self.case.symptom is None else "explain"

    def brief(self) -> str:
        found = [finding.severity for finding in self.findings]
        reader = f"{self.case.expectation.reader} {self.case.expectation.version}".strip()
        counts = f"errors {found.count('error')}, warnings {found.count('warning')}"
        return f"{self.verdict}: {counts}; {self.case.inventory.location} for {reader}"
