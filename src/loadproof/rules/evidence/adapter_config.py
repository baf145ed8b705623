"""Fields of adapter_config.json that the stored tensors prove. None is believed before the load is foretold with it.

`lora_alpha` stands in no tensor and is never touched; a rank changes the scale, and a fix that changes it says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from loadproof.core.adapter import AdapterLoad
from loadproof.core.case import Case
from loadproof.core.families import names_of
from loadproof.lexicon.ends import EMBEDDINGS, HEADS, TASK_HEADS
from loadproof.rules.evidence.adapters import (
    PREFIX,
    Sizes,
    common_rank,
    edits_for,
    expected_sizes,
    is_whole,
    load_of,
    modules_of,
    scale_text,
    stored_sizes,
)

Fields = dict[str, Any]
_NARROWING: Fields = {"layers_to_transform": None, "layers_pattern": None, "exclude_modules": None}
_INITS = (True, False, "gaussian", "orthogonal", "olora")  # need nothing but the base to be made
_ENDS = (*HEADS, *EMBEDDINGS, *TASK_HEADS)


class ProvenConfig(Struct, frozen=True):
    """Fields under which the adapter loads whole; `loss` says what they change besides."""

    fields: Fields
    loss: str = ""


def proven_config(case: Case) -> ProvenConfig | None:
    """The least change of the configuration that makes the load whole and gives up nothing that it asked for before."""
    if is_whole(case.outcome):
        return None
    config = case.config.raw
    before = expected_sizes(load_of(case))
    for fields in _candidates(config, stored_sizes(case), case):
        changed = {field: value for field, value in fields.items() if _differs(config, field, value)}
        if not changed:
            continue
        outcome = case.what_if(edits_for(changed))
        if is_whole(outcome) and outcome is not None and outcome.adapter is not None:
            if _gives_up(before, outcome.adapter, stored_sizes(case)):
                continue
            return ProvenConfig(changed, _rescaling(config, changed))
    return None


def _differs(config: Fields, field: str, value: Any) -> bool:
    return repr(config[field]) != repr(value) if field in config else bool(value)


def _gives_up(before: Sizes, after: AdapterLoad, stored: Sizes) -> bool:
    """Whether a parameter that was asked for, and is not stored, is not asked for any more."""
    wanted = {name for one in after.expected for name in names_of(one.template, one.axes)}
    return any(name not in wanted and name not in stored for name in before)


def _rescaling(config: Fields, changed: Fields) -> str:
    if "r" not in changed or float(_number(config.get("r"))) == float(changed["r"]):
        return ""
    before, after = scale_text(config), scale_text({**config, **changed})
    return f"the scale: {after or 'not known'}" + (f" instead of {before}" if before else "")


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return -1.0


def _candidates(config: Fields, stored: Sizes, case: Case) -> Iterator[Fields]:
    """From single fields to all of them together."""
    if not any(".lora_" in name for name in stored):
        return
    steps = [_types(config), _flags(stored), _loading(config), _saved(case, stored), _ranks(config, stored)]
    steps = [step for step in steps if step]
    yield from steps
    together = {field: value for step in steps for field, value in step.items()}
    for targets in _targets(stored):
        yield targets
        yield {**together, **targets}
    yield together


def _types(config: Fields) -> Fields:
    """Numbers that are spelled as text or with a point, and the method in lower case."""
    found: Fields = {}
    for field in ("r", "lora_alpha"):
        value = config.get(field)
        spelled = isinstance(value, str) or (isinstance(value, float) and value.is_integer())
        if spelled and _number(value).is_integer() and _number(value) > 0:
            found[field] = int(_number(value))
    kind = config.get("peft_type")
    if kind is None or (isinstance(kind, str) and kind != "LORA" and kind.upper() == "LORA"):
        found["peft_type"] = "LORA"
    return found


def _flags(stored: Sizes) -> Fields:
    """What is stored is switched on; nothing is switched off for tensors that may be lost."""
    found: Fields = {}
    if any("lora_magnitude_vector" in name for name in stored):
        found["use_dora"] = True
    if any(name.endswith("lora_B.bias") for name in stored):
        found["lora_bias"] = True
    return found


def _loading(config: Fields) -> Fields:
    """Only the start of a training depends on these: the file holds what they would make."""
    found: Fields = {}
    if config.get("init_lora_weights", True) not in _INITS:
        found["init_lora_weights"] = True
    if config.get("megatron_config") is not None:
        found["megatron_config"] = None
    return found


def _saved(case: Case, stored: Sizes) -> Fields:
    """Whole matrices of an embedding or a head belong to `modules_to_save`."""
    pattern = re.compile(rf"{re.escape(PREFIX)}(?:.*\.)?({'|'.join(map(re.escape, _ENDS))})\.weight")
    named = sorted({found[1] for name in stored if (found := pattern.fullmatch(name))})
    known = case.config.raw.get("modules_to_save")
    before = [str(one) for one in known] if isinstance(known, list) else []
    return {"modules_to_save": [*before, *(one for one in named if one not in before)]} if named else {}


def _ranks(config: Fields, stored: Sizes) -> Fields:
    """The ranks in the header: the one that is there most often, and those that differ from it."""
    ranks = modules_of(stored)
    if not ranks or config.get("target_parameters"):
        return {}
    known = config.get("r")
    usual = known if isinstance(known, int) and known in ranks.values() else common_rank(ranks)
    others = {f"^{re.escape(module)}": rank for module, rank in ranks.items() if rank != usual}
    pattern = config.get("rank_pattern")
    keeps = isinstance(pattern, dict) and (bool(pattern) == bool(others))
    return {"r": usual} if keeps else {"r": usual, "rank_pattern": others}


def _targets(stored: Sizes) -> Iterator[Fields]:
    """The modules that have a pair: by their last word where that is enough, else whole."""
    modules = sorted(modules_of(stored))
    if modules:
        yield {"target_modules": sorted({module.rpartition(".")[2] for module in modules}), **_NARROWING}
        yield {"target_modules": modules, **_NARROWING}
