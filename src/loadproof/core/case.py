"""Everything the rules may look at, and the answer made of it."""

from __future__ import annotations

from msgspec import Struct

from loadproof.core.checkpoint import Inventory, Manifest, Problem, Selection, TieValue, Tokenizer
from loadproof.core.config import LayerPlan, ModelConfig
from loadproof.core.coverage import Skip
from loadproof.core.expectation import Expectation
from loadproof.core.findings import Finding
from loadproof.core.live import LiveModel
from loadproof.core.outcome import Outcome, Row, Verdict
from loadproof.core.ports import asked
from loadproof.core.shown import Shown
from loadproof.core.symptom import Symptom


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
    live: LiveModel | None = None
    equal_duplicates: tuple[str, ...] = ()  # names stored in several files with the same bytes in all of them
    source: str | None = None  # folder of the release the user asked for, to read it again under another config
    use_cache: bool = True
    class_name: str | None = None  # the class the user asked for, in place of the one the config leads to
    without_wall: bool = False  # the user lets code of strangers be evaluated where there is no wall

    def reaction(self, problem: Problem) -> str | None:
        """The exception that the reader raises over this fault; None where it takes the file."""
        reader = asked(self.expectation.reader)
        return None if reader is None else reader.react(problem)


class Report(Shown, frozen=True):
    """The answer: input of every output format."""

    case: Case
    verdict: Verdict
    findings: tuple[Finding, ...]
    unexplained: tuple[Row, ...]
    checked: tuple[str, ...]
    skipped: tuple[Skip, ...]
    timings: Timings = Timings()

    @property
    def kind(self) -> str:  # type: ignore[override]
        """A report that was asked about an error text is shown as the answer to it."""
        return "check" if self.case.symptom is None else "explain"

    def brief(self) -> str:
        found = [finding.severity for finding in self.findings]
        reader = f"{self.case.expectation.reader} {self.case.expectation.version}".strip()
        counts = f"errors {found.count('error')}, warnings {found.count('warning')}"
        return f"{self.verdict}: {counts}; {self.case.inventory.location} for {reader}"
