"""LP102 shard-missing: a file that the index names is not there."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import Place, about, in_files
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import faults, lost_with
from loadproof.rules.evidence.shards import absent_shards, deciding_index, held_lines, listed, stale_index_fix


def check(case: Case) -> Iterable[Found]:
    """Absent shards: an error, under --names-only a warning where only some of them are there."""
    index = deciding_index(case)
    if index is None:
        return
    absent, there = absent_shards(case, index)
    if not case.manifest.names_only:
        dangling = {problem.file for problem in faults(case, "LP114")}
        absent = tuple(file for file in absent if file not in dangling)
    if not absent or (case.manifest.names_only and not there):
        return
    gone = set(absent)
    names = [name for name, file in index.weight_map.items() if file in gone]
    total = len(absent) + len(there)
    subject = f"{absent[0]} is" if len(absent) == 1 else f"{len(absent)} of {total} shards are"
    headline = f"{subject} not there, and {len(names):,} of {len(index.weight_map):,} tensors with {_them(absent)}"
    evidence = [
        Evidence(Place(index.path), f"names {listed(absent)}"),
        Evidence(about("folder"), f"holds {listed(there) or 'none'}"),
    ]
    evidence += [Evidence(in_files(absent, 1), line) for line in held_lines(names)]
    rows = () if case.manifest.names_only else tuple(lost_with(case, absent))
    severity: Severity = "warning" if case.manifest.names_only else "error"
    fixes = (*stale_index_fix(case, index), Fix(f"download {listed(absent)}", "manual"))
    yield Found(
        severity=severity, confidence="certain", headline=headline, evidence=tuple(evidence), rows=rows, fixes=fixes
    )


def _them(absent: tuple[str, ...]) -> str:
    return "it" if len(absent) == 1 else "them"


RULE = Rule(
    code="LP102",
    slug="shard-missing",
    group="index",
    title="A file that the index names is not there",
    check=check,
    absorbs=("LP103", "LP104", "LP109", "LP410"),
)
