"""Parts that wrapping modules put into state-dict names, at the front or in the middle, in any order."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.lexicon.words import Words, any_of

# Measured with torch 2.13 (`_dynamo/eval_frame.py:440`, `distributed/fsdp/_common_utils.py`,
# `distributed/algorithms/_checkpoint/checkpoint_wrapper.py`), torch_xla, Lightning Fabric and trl.
WRAPPERS: Words = {
    "_orig_mod": "torch.compile",
    "module": "DistributedDataParallel or DeepSpeed",
    "_fsdp_wrapped_module": "FullyShardedDataParallel",
    "_fpw_module": "FullyShardedDataParallel",
    "_checkpoint_wrapped_module": "activation checkpointing",
    "_orig_module": "a recomputation wrapper",
    "_forward_module": "Lightning Fabric",
}
# Around a whole model only, and a plain word: a part of that name elsewhere is a model's own.
OUTERMOST: Words = {
    "module": WRAPPERS["module"],
    "pretrained_model": "trl, AutoModelForCausalLMWithValueHead",
}
# The attribute of a live wrapper; no model calls a part of its own so. `module` is one of these only in some classes.
INNER = tuple(word for word in WRAPPERS if word.startswith("_"))
MODULE_HOLDERS = ("DistributedDataParallel", "DataParallel", "DeepSpeedEngine")  # classes around a `module`
WRAPPED = rf"(?:^|\.)(?:{any_of(INNER)})\.|^(?:{any_of(OUTERMOST)})\."  # a name that a wrapper changed
# Levels that models themselves nest by; a change in these is a matter of class or release, not of a wrapper.
LEVELS = (
    *("model", "language_model", "text_model", "llm", "thinker", "talker", "visual", "vision_model", "vision_tower"),
    *("audio_tower", "transformer", "backbone", "encoder", "decoder", "gpt_neox", "bert", "roberta"),
)


def wrapper_parts(templates: Iterable[str]) -> tuple[str, ...]:
    """The known wrapper words in these names, in the order of the first name that holds one."""
    return tuple(dict.fromkeys(part for name in templates for part in name.split(".") if part in WRAPPERS))
