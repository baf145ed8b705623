"""All training states of a folder."""

from __future__ import annotations

from loadproof.core.checkpoint import Problem
from loadproof.core.training import TrainingState
from loadproof.formats.training.deepspeed import deepspeed
from loadproof.formats.training.distributed import distributed
from loadproof.formats.training.files import Files
from loadproof.formats.training.ranks import ranks
from loadproof.formats.training.whole import whole
from loadproof.storage import Storage


def find_states(storage: Storage) -> tuple[tuple[TrainingState, ...], tuple[Problem, ...]]:
    """The states, and what is wrong with their files."""
    files = Files(storage)
    found = (*distributed(files), *deepspeed(files), *ranks(files))
    return (*found, *(() if found else whole(files))), files.faults.result()
