"""Edits as pure data, carried out so that no crash loses a byte. See `plan_edits`, `apply`, `apply_to_copy`, `undo`."""

from loadproof.repair.in_place import (
    Applied,
    ForeignRecordsError,
    RepairError,
    RepairInterruptedError,
    apply,
    check_records,
    foresee,
    forget,
    interrupted,
    recover,
    undo,
)
from loadproof.repair.permission import gates
from loadproof.repair.plan import Change, Plan, Refusal
from loadproof.repair.planner import plan_edits
from loadproof.repair.to_copy import apply_to_copy

__all__ = [
    "Applied",
    "Change",
    "ForeignRecordsError",
    "Plan",
    "Refusal",
    "RepairError",
    "RepairInterruptedError",
    "apply",
    "apply_to_copy",
    "check_records",
    "foresee",
    "forget",
    "gates",
    "interrupted",
    "plan_edits",
    "recover",
    "undo",
]
