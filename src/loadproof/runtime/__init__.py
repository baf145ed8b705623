"""Live models: `HeadSpec`, `guard`, `diagnose`, layer plans, state-dict mapping. torch is imported when used."""

from loadproof.runtime.diagnose import diagnose
from loadproof.runtime.errors import HeadFault, LayerPlanError, LoadError
from loadproof.runtime.guard import Guard, check_logits_head, guard
from loadproof.runtime.head import HeadSpec, assert_2d, ensure_lm_head_2d, sanitize
from loadproof.runtime.layer_plan import LayerPlan
from loadproof.runtime.load import LoadResult, load_checkpoint
from loadproof.runtime.mapper import (
    MappedWeights,
    build_state_dict_mapper,
    infer_layer_types_from_checkpoint,
    map_weights_safe,
)

__all__ = [
    "Guard",
    "HeadFault",
    "HeadSpec",
    "LayerPlan",
    "LayerPlanError",
    "LoadError",
    "LoadResult",
    "MappedWeights",
    "assert_2d",
    "build_state_dict_mapper",
    "check_logits_head",
    "diagnose",
    "ensure_lm_head_2d",
    "guard",
    "infer_layer_types_from_checkpoint",
    "load_checkpoint",
    "map_weights_safe",
    "sanitize",
]
