"""LP210 head-row-shard: head or embedding hold one tensor-parallel rank's rows."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.vocabulary import embedding, head, vocabulary_rows
from loadproof.rules.evidence.wording import row_evidence

SIZES = (2, 4, 8, 16, 32, 64, 3, 6, 12)


def check(case: Case) -> Iterable[Found]:
    rows = vocabulary_rows(case)
    size = _world(rows)
    if size is None or _fits_tokenizer(case, rows) or _is_whole_vocabulary(case, rows):
        return
    row = rows[0]
    found, whole = (row.found or (0,))[0], (row.expected or (0,))[0]
    headline = f"{row.stored or row.template} holds {found:,} of {whole:,} rows: the part of one of {size} ranks"
    proof = Evidence(NOWHERE, f"ceil({whole:,} / {size}) = {found:,}; the columns are whole", "note")
    fixes = (Fix(f"gather the {size} parts and save again; the other rows are in no file here", "manual"),)
    evidence = (*row_evidence(rows), proof)
    yield Found(
        severity="error", confidence="likely", headline=headline, evidence=evidence, rows=tuple(rows), fixes=fixes
    )


def _world(rows: list[Row]) -> int | None:
    """The number of ranks that gives exactly these rows, the same for every matrix concerned."""
    sizes = [size for size in SIZES if rows and all(_is_part(row, size) for row in rows)]
    return sizes[0] if sizes else None


def _is_part(row: Row, size: int) -> bool:
    return row.expected is not None and row.found is not None and row.found[0] == ceil(row.expected[0] / size)


def _fits_tokenizer(case: Case, rows: list[Row]) -> bool:
    """Rows for every token: then the vocabulary was cut on purpose and nothing is lost."""
    needed = case.tokenizer.rows_needed if case.tokenizer is not None else None
    return needed is not None and all((row.found or (0,))[0] >= needed for row in rows)


def _is_whole_vocabulary(case: Case, rows: list[Row]) -> bool:
    """Embedding and head agree on the smaller number and no tokenizer contradicts: rather another vocab_size."""
    output, source = head(case), embedding(case)
    if output is None or source is None or case.tokenizer is not None:
        return False
    names = {row.template for row in rows}
    return {output.template, source.template} <= names or (source.template in names and not _separate(case))


def _separate(case: Case) -> bool:
    """Whether the head is a matrix of its own, not filled from the embedding."""
    output = head(case)
    return output is not None and not any(target == output.template for target, _ in case.expectation.ties)


RULE = Rule(
    code="LP210",
    slug="head-row-shard",
    group="vocabulary",
    title="The head or embedding holds one rank's rows",
    check=check,
)
