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
        DiffReport,
        FixReport,
        NoCheckpointError,
        PlanReport,
        check,
        diff,
        explain,
        fix,
        plan,
        undo,
    )
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

_API = ("DiffReport", "FixReport", "NoCheckpointError", "PlanReport", "check", "diff", "explain", "fix", "plan", "undo")
__all__ = [
    "DiffReport",
    "FixReport",
    "Guard",
    "HeadFault",
    "HeadSpec",
    "LayerPlan",
    "LayerPlanError",
    "LoadError",
    "LoadResult",
    "MappedWeights",
    "NoCheckpointError",
    "PlanReport",
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

    return getattr(import_module("loadproof.api" if name in _API else "loadproof.runtime"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
