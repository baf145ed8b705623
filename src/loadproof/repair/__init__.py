"""Edits as pure data, carried out so that no crash loses a byte. See `plan_edits`, `apply`, `apply_to_copy`, `undo`."""

from loadproof.repair.in_place import (
    Applied,
    RepairError,
    RepairInterruptedError,
    apply,
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
    "Plan",
    "Refusal",
    "RepairError",
    "RepairInterruptedError",
    "apply",
    "apply_to_copy",
    "forget",
    "gates",
    "interrupted",
    "plan_edits",
    "recover",
    "undo",
]
