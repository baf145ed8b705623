"""The use-cases, as plain functions. Each is imported only when it is used, so that `check` starts fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadproof.api.checking import NoCheckpointError, check
    from loadproof.api.comparing import diff
    from loadproof.api.explaining import explain
    from loadproof.api.fixing import ForeignRecordsError, RepairError, fix, undo
    from loadproof.api.planning import plan

_HOME = {
    "ForeignRecordsError": "fixing",
    "NoCheckpointError": "checking",
    "RepairError": "fixing",
    "check": "checking",
    "diff": "comparing",
    "explain": "explaining",
    "fix": "fixing",
    "plan": "planning",
    "undo": "fixing",
}

__all__ = [
    "ForeignRecordsError",
    "NoCheckpointError",
    "RepairError",
    "check",
    "diff",
    "explain",
    "fix",
    "plan",
    "undo",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
