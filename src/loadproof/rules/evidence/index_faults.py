"""An index that tells another story than the headers of its shards: what LP104, LP105 and LP106 share."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import IndexFile, Problem
from loadproof.core.edits import Fix, RebuildIndex
from loadproof.rules.base import Found
from loadproof.rules.evidence.file_faults import evidence_of, faults
from loadproof.rules.evidence.shards import deciding_index, set_of


def index_problems(case: Case, code: str) -> tuple[IndexFile, list[Problem]] | None:
    """The index that the reader follows and its problems of this code, None where there are none."""
    problems, index = faults(case, code), deciding_index(case)
    return (index, problems) if problems and index is not None else None


def headline_of(index: IndexFile, problems: list[Problem], what: str) -> str:
    """``model.safetensors.index.json: 3 tensors named by the index and in no shard``."""
    count = f"{len(problems):,} tensors" if len(problems) > 1 else f"{problems[0].tensor}"
    return f"{index.path}: {count} {what}"


def rebuilt(index: IndexFile) -> Fix:
    """The index written from the headers, which know what the shards hold."""
    return Fix(f"rebuild {index.path} from the shards", "lossless", (RebuildIndex(index.path, set_of(index)),))


def contradicted(case: Case, code: str, what: str) -> Iterable[Found]:
    """A warning for tensors that load all the same; `what` completes the headline."""
    found = index_problems(case, code)
    if found is None:
        return
    index, problems = found
    headline, evidence = headline_of(index, problems, what), evidence_of(problems)
    yield Found(severity="warning", confidence="certain", headline=headline, evidence=evidence, fixes=(rebuilt(index),))
