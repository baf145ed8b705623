"""loadproof: will this checkpoint load, with the right weights in the right places?

`check`, `plan` and the data types need only the base install; the names of `loadproof.runtime` need torch.
Everything is imported when it is first used.
"""

from __future__ import annotations

from loadproof.version import __version__

TYPE_CHECKING = False  # typing costs 5 ms, which `loadproof --version` does not need
if TYPE_CHECKING:
    from typing import Any

    from loadproof.api import (
        ForeignRecordsError,
        NoCheckpointError,
        RepairError,
        check,
        diff,
        explain,
        fix,
        plan,
        undo,
    )
    from loadproof.core.case import Report
    from loadproof.core.checkpoint import Problem
    from loadproof.core.coverage import Skip
    from loadproof.core.edits import Fix
    from loadproof.core.findings import Evidence, Finding, HowToTell, Note
    from loadproof.core.outcome import Outcome, Row
    from loadproof.core.places import Place
    from loadproof.core.repairs import Applied, Change, Choice, FixReport, Refusal
    from loadproof.core.results import DiffReport, PlanReport
    from loadproof.core.symptom import Symptom
    from loadproof.runtime import (
        Guard,
        HeadFault,
        HeadSpec,
        LayerPlan,
        LayerPlanError,
        LoadError,
        LoadResult,
        MappedWeights,
        assert_2d,
        build_state_dict_mapper,
        check_logits_head,
        diagnose,
        ensure_lm_head_2d,
        guard,
        infer_layer_types_from_checkpoint,
        load_checkpoint,
        map_weights_safe,
        sanitize,
    )

# Where the names come from; every other one of `__all__` is of loadproof.runtime.
_HOMES = {
    "api": "ForeignRecordsError NoCheckpointError RepairError check diff explain fix plan undo",
    "core.case": "Report",
    "core.checkpoint": "Problem",
    "core.coverage": "Skip",
    "core.edits": "Fix",
    "core.findings": "Evidence Finding HowToTell Note",
    "core.outcome": "Outcome Row",
    "core.places": "Place",
    "core.repairs": "Applied Change Choice FixReport Refusal",
    "core.results": "DiffReport PlanReport",
    "core.symptom": "Symptom",
}
__all__ = [
    "Applied",
    "Change",
    "Choice",
    "DiffReport",
    "Evidence",
    "Finding",
    "Fix",
    "FixReport",
    "ForeignRecordsError",
    "Guard",
    "HeadFault",
    "HeadSpec",
    "HowToTell",
    "LayerPlan",
    "LayerPlanError",
    "LoadError",
    "LoadResult",
    "MappedWeights",
    "NoCheckpointError",
    "Note",
    "Outcome",
    "Place",
    "PlanReport",
    "Problem",
    "Refusal",
    "RepairError",
    "Report",
    "Row",
    "Skip",
    "Symptom",
    "__version__",
    "assert_2d",
    "build_state_dict_mapper",
    "check",
    "check_logits_head",
    "diagnose",
    "diff",
    "ensure_lm_head_2d",
    "explain",
    "fix",
    "guard",
    "infer_layer_types_from_checkpoint",
    "load_checkpoint",
    "map_weights_safe",
    "plan",
    "sanitize",
    "undo",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = next((module for module, names in _HOMES.items() if name in names.split()), "runtime")
    return getattr(import_module(f"loadproof.{home}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
