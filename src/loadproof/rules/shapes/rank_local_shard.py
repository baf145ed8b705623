"""LP508 rank-local-shard: one rank's rows of every tensor were saved (FSDP2, or a merger that took shards for "
"copies)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import ceil

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE, Place
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.vocabulary import embedding, head
from loadproof.rules.evidence.wording import plural, row_evidence, shape_text
from loadproof.rules.rows import of_kind

WORLDS = range(2, 1025)
_RANK_FILE = re.compile(r"(?:^|[._-])rank[_-]?(\d+)|world_size_(\d+)", re.IGNORECASE)


def check(case: Case) -> Iterable[Found]:
    rows = [row for row in of_kind(case.outcome.rows, "mismatched") if _is_cut(row)]
    if not rows:
        return
    direct = [row for row in rows if row.template not in _put_together(case)]
    solved = _world_and_rank(direct or rows)
    everything = [*rows, *_cut_before_joining(case, rows)]
    if solved is not None and _nearly_all(case, everything):
        yield _shard(case, everything, *solved)
    elif _is_lone_norm(case, rows):
        yield _lone(rows)


def _put_together(case: Case) -> set[str]:
    """Parameters that the reader joins from several stored tensors: their first dimension is another one."""
    return {a.target for a in case.outcome.assignments if a.converted}


def _cut_before_joining(case: Case, rows: list[Row]) -> list[Row]:
    """The rest of what is reported of joined parameters: pieces of experts, stacked, differ in another dimension."""
    joined = _put_together(case) | {row.template for row in of_kind(case.outcome.rows, "conversion")}
    told = set(rows)
    return [row for row in case.outcome.rows if row.template in joined and row not in told and row.kind != "unexpected"]


def _is_cut(row: Row) -> bool:
    """Fewer rows, everything else as expected."""
    expected, found = row.expected, row.found
    return bool(expected) and bool(found) and len(found or ()) == len(expected or ()) and _only_rows_differ(row)


def _only_rows_differ(row: Row) -> bool:
    expected, found = row.expected or (), row.found or ()
    return found[1:] == expected[1:] and found[0] < expected[0]


def _world_and_rank(rows: list[Row]) -> tuple[int, int | None] | None:
    """The group size that explains every row count, with the rank where the counts tell it."""
    pairs = {((row.expected or (0,))[0], (row.found or (0,))[0]) for row in rows}
    for world in WORLDS:
        ranks = set(range(world))
        for whole, held in pairs:
            ranks &= _ranks(whole, held, world)
            if not ranks:
                break
        if ranks:
            return world, ranks.pop() if len(ranks) == 1 else None
    return None


def _ranks(whole: int, held: int, world: int) -> set[int]:
    """The ranks that torch.chunk gives `held` of `whole` rows."""
    step = ceil(whole / world)
    full = whole // step
    found = set(range(min(full, world))) if held == step else set()
    if held == whole - full * step and full < world:
        found.add(full)
    if held == 0:
        found |= set(range(full + (whole % step > 0), world))
    return found


def _nearly_all(case: Case, rows: list[Row]) -> bool:
    """The whole model is cut: what is left whole is scalar or a single row."""
    cut = sum(count(row.axes) for row in rows if row.kind != "missing")
    wanted = sum(count(e.axes) for e in case.expectation.families if e.shape and e.shape[0] > 1)
    return cut >= 0.9 * (wanted - len(case.expectation.ties)) and cut > 2


def _shard(case: Case, rows: list[Row], world: int, rank: int | None) -> Found:
    who = f"rank {rank} of {world}" if rank is not None else f"one of {world} ranks"
    headline = f"every tensor holds only its first dimension's part of {who}"
    row = rows[0]
    whole, held = (row.expected or (0,))[0], (row.found or (0,))[0]
    proof = Evidence(
        NOWHERE, f"ceil({whole:,} / {world}) = {ceil(whole / world):,} rows, here {held:,}; norms are cut too", "note"
    )
    evidence = (*row_evidence(rows, 3), proof, *_siblings(case))
    fixes = (Fix(_advice(case, world), "manual"),)
    return Found(
        severity="error", confidence="certain", headline=headline, evidence=evidence, rows=tuple(rows), fixes=fixes
    )


def _rank_files(case: Case) -> list[str]:
    return [info.path for info in case.inventory.files if _RANK_FILE.search(info.path)]


def _siblings(case: Case) -> tuple[Evidence, ...]:
    files = _rank_files(case)
    return (Evidence(Place(files[0]), f"{plural(len(files), 'file')} named after ranks lie here"),) if files else ()


def _advice(case: Case, world: int) -> str:
    here = len(_rank_files(case))
    have = f"{here} such files lie here" if here else "none of them lies here"
    return f"join the rows of all {world} ranks' files in order of rank ({have}), or save a full state dict"


def _is_lone_norm(case: Case, rows: list[Row]) -> bool:
    """One vector cut to a whole fraction while everything else is whole."""
    vocabulary = {e.template for e in (head(case), embedding(case)) if e is not None}
    vectors = all(len(row.expected or ()) == 1 and row.template not in vocabulary for row in rows)
    whole = all(
        (row.expected or (1,))[0] % max(1, (row.found or (1,))[0]) == 0 and (row.found or (0,))[0] > 1 for row in rows
    )
    others = len(of_kind(case.outcome.rows, "mismatched")) == len(rows)
    return vectors and whole and others and sum(count(row.axes) for row in rows) <= 3


def _lone(rows: list[Row]) -> Found:
    row = rows[0]
    world = (row.expected or (1,))[0] // (row.found or (1,))[0]
    headline = (
        f"{row.stored or row.template} is {shape_text(row.found)}: one of {world} shards, taken for a copy when merging"
    )
    fixes = (Fix("join the shards of this tensor from the ranks' files; equal shards are not replicas", "manual"),)
    return Found(
        severity="error",
        confidence="likely",
        headline=headline,
        evidence=row_evidence(rows),
        rows=tuple(rows),
        fixes=fixes,
    )


RULE = Rule(
    code="LP508",
    slug="rank-local-shard",
    group="shapes",
    title="One rank's rows of every tensor were saved",
    check=check,
)
