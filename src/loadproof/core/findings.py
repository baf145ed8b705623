"""Root causes with their evidence."""

from __future__ import annotations

from msgspec import Struct

from loadproof.core.edits import Fix
from loadproof.core.outcome import Row
from loadproof.core.places import Place
from loadproof.core.severity import Confidence, Severity
from loadproof.core.shown import short


class Evidence(Struct, frozen=True):
    """`text` is what stands at the place `where`."""

    where: Place
    text: str
    label: str = ""  # "", "layers", "source", "note": how the text report prints it


class Note(Struct, frozen=True):
    """What is to be said beside the evidence: an ``= label   text`` line."""

    label: str  # reader, outcome, origin, note
    text: str


class HowToTell(Struct, frozen=True):
    """No fact of this case, but what would decide it: for causes that an error text suggests."""

    confirms: str
    refutes: str
    next: str  # the command to type
    see: tuple[str, ...] = ()  # issues where it was reported


class Finding(Struct, frozen=True):
    """One root cause. `explains` counts reported rows by name (not by family)."""

    code: str
    slug: str
    severity: Severity
    confidence: Confidence
    headline: str
    evidence: tuple[Evidence, ...] = ()
    rows: tuple[Row, ...] = ()  # the rows it claims (families; a part of a family may be claimed)
    explains: int = 0
    fixes: tuple[Fix, ...] = ()
    notes: tuple[Note, ...] = ()
    how_to_tell: HowToTell | None = None
    behind: tuple[str, ...] = ()  # codes of the findings that hide it: it shows, and its fix fits, once these are fixed

    def __repr__(self) -> str:
        return short(f"<Finding {self.severity}[{self.code}] {self.slug}: {self.headline}>")


class Accepted(Struct, frozen=True):
    """A finding that the user's policy sets apart, and why: "ignored", "not selected", "in loadproof-baseline.json"."""

    finding: Finding
    reason: str
