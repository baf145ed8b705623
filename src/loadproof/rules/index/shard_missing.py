"""LP102 shard-missing: a file that the index names is not there."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import Place, about, in_files
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import faults, lost_with
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


DOCS = RuleDocs(
    finds="A shard that the index names and the folder does not hold.",
    why=("The download or the copy is incomplete, or the index belongs to another save with another number of shards."),
    errors=(
        ("transformers: FileNotFoundError: No such file or directory: .../model-00015-of-00030.safetensors"),
        "vLLM: RuntimeError: Weight files referenced in index but missing",
        "SGLang: RuntimeError: ... references 1 shard file(s) missing from ... (incomplete download?)",
        "mlx-lm: ValueError: Missing 61 parameters (it globs and ignores the index)",
    ),
    example="The index names 30 files, 29 are there; model-00015 held layers 20 and 21.",
    fix=(
        "Download the file. Where the folder holds a complete set of another numbering, the index is stale and "
        "`loadproof fix` writes it anew."
    ),
    harmless="With `--names-only` before the download.",
)
RULE = Rule(
    "LP102",
    "shard-missing",
    "A file that the index names is not there",
    check,
    DOCS,
    absorbs=("LP103", "LP104", "LP109", "LP410"),
)
