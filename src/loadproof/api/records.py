"""Records beside a checkpoint that this user did not make for it, as problems of the inventory."""

from __future__ import annotations

import os

from msgspec.structs import replace

from loadproof.core.checkpoint import Inventory, Problem
from loadproof.core.severity import Severity

_LIKE_A_RECORD = (".loadproof-journal", ".loadproof-undo-")  # of `records.names`, which few checks need to import


def with_records(inventory: Inventory) -> Inventory:
    """The inventory, with a problem for each journal and undo record that does not count."""
    try:
        if not any(name.startswith(_LIKE_A_RECORD) for name in os.listdir(inventory.root)):
            return inventory
        from loadproof.records import look

        found = look(inventory.root)
    except OSError:
        return inventory
    problems = tuple(_problem(one.name, one.status, one.why) for one in found if one.status != "ours")
    return replace(inventory, problems=(*inventory.problems, *problems))


def _problem(name: str, status: str, why: str) -> Problem:
    if status == "stray":
        return Problem("LP018", name, f"{name} is no record of a repair: {why}", severity="warning", detail=status)
    is_journal = name == _LIKE_A_RECORD[0]
    severity: Severity = "warning" if status == "copied" and not is_journal else "error"
    what = "the journal of a repair that was interrupted" if is_journal else "an undo record"
    return Problem("LP018", name, f"{name}, {what}, does not count: {why}", severity=severity, detail=status)
