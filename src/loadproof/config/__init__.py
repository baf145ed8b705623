"""config.json: its values, their spellings, the lines they stand on, and what is wrong with them."""

from loadproof.config.access import get, text_config, text_config_path
from loadproof.config.lines import line_of, where
from loadproof.config.plan.reading import PlanDiff, config_depth, diff_plans, plan_from_config, stated_plans
from loadproof.config.plan.tensors import decoder_layers, plan_from_tensors
from loadproof.config.read import config_of_text, read_adapter_config, read_config
from loadproof.config.spellings import CANONICAL, SPELLINGS, spelled, value_of

__all__ = [
    "CANONICAL",
    "SPELLINGS",
    "PlanDiff",
    "config_depth",
    "config_of_text",
    "decoder_layers",
    "diff_plans",
    "get",
    "line_of",
    "plan_from_config",
    "plan_from_tensors",
    "read_adapter_config",
    "read_config",
    "spelled",
    "stated_plans",
    "text_config",
    "text_config_path",
    "value_of",
    "where",
]
