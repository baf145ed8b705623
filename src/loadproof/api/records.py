"""Records beside a checkpoint that this user did not make for it, as problems of the inventory."""

from __future__ import annotations

import os
from itertools import islice

from msgspec.structs import replace

from loadproof.core.checkpoint import Inventory, Problem
from loadproof.core.session import Checkpoint
from loadproof.core.severity import Severity

_LIKE_A_RECORD = (".loadproof-journal", ".loadproof-undo-")  # of `records.names`, which few checks need to import
_USUAL = (".loadproof-journal", ".loadproof-undo-1")
_MOST_ENTRIES = 100_000


def with_records(checkpoint: Checkpoint) -> Inventory:
    """The inventory, with a problem for each journal and undo record that does not count."""
    inventory, folder = checkpoint.inventory, checkpoint.folder
    try:
        if folder is None or not _has_records(folder):
            return inventory
        from loadproof.records import look

        found = look(folder)
    except OSError:
        return inventory
    problems = tuple(_problem(one.name, one.status, one.why) for one in found if one.status != "ours")
    return replace(inventory, problems=(*inventory.problems, *problems))


def _has_records(root: str) -> bool:
    """Of a folder with very many entries, those that stand first, and the usual names."""
    if any(os.path.lexists(os.path.join(root, name)) for name in _USUAL):
        return True
    with os.scandir(root) as entries:
        return any(entry.name.startswith(_LIKE_A_RECORD) for entry in islice(entries, _MOST_ENTRIES))


def _problem(name: str, status: str, why: str) -> Problem:
    if status == "stray":
        return Problem("LP018", name, f"{name} is no record of a repair: {why}", severity="warning", detail=status)
    is_journal = name == _LIKE_A_RECORD[0]
    severity: Severity = "warning" if status == "copied" and not is_journal else "error"
    what = "the journal of a repair that was interrupted" if is_journal else "an undo record"
    return Problem("LP018", name, f"{name}, {what}, does not count: {why}", severity=severity, detail=status)
