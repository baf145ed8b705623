"""A repair as it is planned and as it was carried out, for those who read of it."""

from __future__ import annotations

from typing import ClassVar, Literal, Protocol

from msgspec import Struct

from loadproof.core.case import Report
from loadproof.core.edits import Edit, Fix
from loadproof.core.findings import Finding
from loadproof.core.shown import Shown

Action = Literal["patch header", "new header", "rewrite", "add file", "edit text", "cut tail", "set aside"]


REPAIRED_COPY = "make a repaired copy with --out DIR"  # the usual way out of what cannot be done in place


class Refusal(Struct, frozen=True):
    """Why the plan cannot be carried out, and what can be done instead."""

    reason: str
    alternative: str = ""
    file: str = ""


class Change(Struct, frozen=True):
    """What happens to one file. `writes` counts bytes, journal aside; `diff` are lines for people."""

    file: str
    action: Action
    writes: int
    note: str = ""
    diff: tuple[str, ...] = ()


class RepairPlan(Protocol):
    """What a report says of a plan; how it is carried out is the repair's own business."""

    @property
    def edits(self) -> tuple[Edit, ...]: ...
    @property
    def changes(self) -> tuple[Change, ...]: ...
    @property
    def refusals(self) -> tuple[Refusal, ...]: ...


class Applied(Shown, frozen=True):
    """What was done. `files` are relative names; `undo` names the record beside the checkpoint.

    `ignored`: a word for each name beside the checkpoint that looks like a record and is none.
    """

    kind: ClassVar[str] = "undo"

    root: str
    files: tuple[str, ...]
    bytes_written: int
    undo: str | None = None
    notes: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    def brief(self) -> str:
        return f"{len(self.files)} files in {self.root}"


class Forgotten(Shown, frozen=True):
    """The names of what was removed when the repairs of a checkpoint were made final."""

    kind: ClassVar[str] = "forget"

    names: tuple[str, ...]

    def brief(self) -> str:
        return f"{len(self.names)} files removed"


class Choice(Struct, frozen=True):
    """What is to be done about one finding; `fix` is None where nothing can be done by an edit, and `why` says so."""

    finding: Finding
    fix: Fix | None
    why: str = ""


class FixReport(Shown, frozen=True):
    """A repair as planned, and as carried out when `applied` is set; `after` is the check of the result.

    `restored` says why a repair was taken back: the files are then as they were, and `applied` is not set.
    `blocked` (of a plan that was not carried out): why it cannot be carried out in place as things are.
    `left`: findings that nobody asked to fix and that an edit could.
    """

    kind: ClassVar[str] = "fix"

    before: Report
    choices: tuple[Choice, ...]
    plan: RepairPlan
    applied: Applied | None = None
    after: Report | None = None
    restored: str = ""
    blocked: tuple[Refusal, ...] = ()
    left: tuple[Finding, ...] = ()

    def brief(self) -> str:
        done = "taken back" if self.restored else "planned" if self.applied is None else "done"
        after = f" -> {self.after.verdict}" if self.after else ""
        codes = " ".join(choice.finding.code for choice in self.choices if choice.fix)
        return f"{done}: {codes or 'nothing'}; {self.before.verdict}{after}; {self.before.case.inventory.location}"
