"""Root causes with their evidence."""

from __future__ import annotations

from msgspec import Struct

from loadproof.core.edits import Fix
from loadproof.core.outcome import Row
from loadproof.core.severity import Confidence, Severity


class Evidence(Struct, frozen=True):
    """`where` is a place (``config.json:37``, a file, ``modeling_x.py:873``), `text` what stands there."""

    where: str
    text: str
    label: str = ""  # "", "layers", "source", "note": how the text report prints it


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
    notes: tuple[str, ...] = ()  # extra "= ..." lines: label: text
