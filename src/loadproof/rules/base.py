"""What a rule is. One file per rule, named after its slug, in the folder of its group; `RANK` is the explicit registry.

How a rule is written:

* the file ``rules/index/shard_missing.py`` holds ``check`` and ``RULE = Rule(code="LP102", slug="shard-missing", ...)``, and
  ``rules/index/shard-missing.md`` beside it the docs (`loadproof.rules.docs`);
* ``check(case)`` yields `Found`, which has no code: `diagnose` stamps the rule's code and slug on it and counts the rows;
* it sees in ``case.outcome.rows`` only the rows that no rule of higher rank has explained yet, and claims rows (whole
  families, or a part of one by smaller axes) through ``Found.rows``;
* what is found without rows stands on its own (a fault of a file, a fact that no reader reports).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence, Finding, Note
from loadproof.core.outcome import Row
from loadproof.core.severity import Confidence, Severity
from loadproof.rules.rows import count_rows


class Found(Struct, frozen=True, kw_only=True):
    """One root cause, as the check of a rule yields it."""

    severity: Severity
    confidence: Confidence
    headline: str
    evidence: tuple[Evidence, ...] = ()
    rows: tuple[Row, ...] = ()  # the rows it claims (families; a part of a family may be claimed)
    fixes: tuple[Fix, ...] = ()
    notes: tuple[Note, ...] = ()

    def stamped(self, code: str, slug: str, rows: Iterable[Row] = ()) -> Finding:
        """The finding under this identity, with the `rows` that it is granted."""
        rows = tuple(rows)
        return Finding(
            code=code,
            slug=slug,
            severity=self.severity,
            confidence=self.confidence,
            headline=self.headline,
            evidence=self.evidence,
            rows=rows,
            explains=count_rows(rows),
            fixes=self.fixes,
            notes=self.notes,
        )


class Rule(Struct, frozen=True, kw_only=True):
    """One identity and its check: a pure function of the case that may yield any number of causes, usually none.

    `absorbs` names rules whose row-less findings only restate this one; they are dropped where this rule fired. A rule of
    `last_resort` is asked only where no rule before it found an error.
    """

    code: str
    slug: str
    group: str  # the folder it lives in
    title: str
    check: Callable[[Case], Iterable[Found]]
    absorbs: tuple[str, ...] = ()
    last_resort: bool = False
    beside_weights: bool = False  # dangerous or ugly, but every weight arrives where it belongs
    never_loads: bool = False  # an error of this rule: every way to load the checkpoint ends in an exception
    needs_content: bool = False  # no fault where only names are judged: they stand for files that are not here yet
    cured_by: tuple[
        type, ...
    ] = ()  # kinds of edits after which the faults of this rule are gone from the file they touch
