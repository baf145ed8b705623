"""Single faults that can be combined, as data: how each is made in a layout, and what must be said of it.

They were written down, with the layouts they fit, before any answer was looked at.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from tests import zoo
from tests.zoo.checkpoint import Checkpoint

Level = Literal[0, 1, 2]  # files hide names, names of whole subtrees hide shapes and the config
TEXT = ("llama", "qwen3_tied", "qwen3_moe", "qwen3_next")
EVERY = (*TEXT, "qwen2_vl", "gemma3", "lfm2", "nemotron_h")
UNTIED = ("llama", "qwen3_moe", "qwen3_next")


@dataclass(frozen=True)
class Fault:
    """`slugs`: one of them must be found. `step`: shapes are damaged before names, names before files."""

    name: str
    slugs: tuple[str, ...]
    level: Level
    step: int
    layouts: tuple[str, ...]
    mutations: tuple[str, ...]
    lossless: bool = True
    apart: tuple[str, ...] = ()  # faults that touch the same tensors or fields


def _field(name: str, value: object) -> tuple[str, ...]:
    return (f'set_config("{name}", {value!r})',)


FAULTS = (
    Fault("quant-leftover", ("quant-config-stale",), 2, 0, ("llama", "qwen3_tied", "qwen3_moe"),
          ('set_config("quantization_config", {"quant_method": "fp8", "weight_block_size": [128, 128]})',)),
    Fault("intermediate", ("config-dims-wrong",), 2, 0, ("llama", "qwen3_tied"), _field("intermediate_size", 96)),
    Fault("intermediate-vl", ("config-dims-wrong",), 2, 0,
          ("qwen2_vl", "gemma3"), _field("text_config.intermediate_size", 96)),
    Fault("expert-width", ("config-dims-wrong",), 2, 0,
          ("qwen3_moe", "qwen3_next", "nemotron_h"), _field("moe_intermediate_size", 30)),
    Fault("kv-heads", ("config-dims-wrong",), 2, 0, TEXT, _field("num_key_value_heads", 2)),
    Fault("kv-heads-vl", ("config-dims-wrong",), 2, 0, ("gemma3",), _field("text_config.num_key_value_heads", 2)),
    Fault("conv-kernel", ("config-dims-wrong",), 2, 0, ("qwen3_next",), _field("linear_conv_kernel_dim", 4)),
    Fault("conv-cache", ("config-dims-wrong",), 2, 0, ("lfm2",), _field("conv_L_cache", 4)),
    Fault("state-size", ("config-dims-wrong",), 2, 0, ("nemotron_h",), _field("ssm_state_size", 8)),
    Fault("vocabulary", ("vocab-rows",), 2, 0,
          ("llama", "qwen3_tied", "qwen3_moe", "qwen3_next", "lfm2"), _field("vocab_size", 192)),
    Fault("shallow", ("depth-mismatch",), 2, 0,
          ("llama", "qwen3_moe"), _field("num_hidden_layers", 4), apart=("first-layer",)),
    Fault("deep", ("depth-mismatch",), 2, 0,
          ("llama", "qwen3_moe"), _field("num_hidden_layers", 7), apart=("first-layer", "shallow")),
    Fault("plan", ("layer-plan-mismatch",), 2, 0, ("qwen3_next", "lfm2"), _field("layer_types[4]", "PLACEHOLDER")),
    Fault("untied", ("head-missing",), 2, 0,
          ("qwen3_tied", "lfm2"), _field("tie_word_embeddings", False), lossless=False),
    Fault("tied", ("tie-contradicted",), 2, 0,
          UNTIED, _field("tie_word_embeddings", True), apart=("flat-head", "head-in-list", "lost-head")),
    Fault("flat-head", ("head-flattened",), 2, 1, UNTIED, ('flatten("lm_head.weight")',), apart=("vocabulary",)),
    Fault("flat-embedding", ("embedding-flattened",), 2, 1,
          ("llama", "qwen3_moe", "lfm2"), ('flatten("model.embed_tokens.weight")',),
          apart=("vocabulary", "tied", "untied", "embedding-name")),
    Fault("turned", ("transposed",), 2, 1,
          ("llama", "qwen3_tied"), ('transpose("*.down_proj.weight")',), apart=("intermediate",)),
    Fault("no-q-norm", ("saver-dropped",), 2, 1,
          ("qwen3_tied", "qwen3_moe"), ('drop("*.q_norm.weight")',), lossless=False),
    Fault("head-in-list", ("head-wrapped",), 2, 2,
          UNTIED, ('rename("^lm_head\\\\.", "lm_head.0.")',), apart=("flat-head",)),
    Fault("embedding-name", ("renamed-parameter",), 2, 2,
          ("nemotron_h",), ('rename("embeddings\\\\.", "embedding.")',)),
    Fault("norm-name", ("renamed-parameter",), 2, 2,
          ("llama", "qwen3_moe"), ('rename("model\\\\.norm\\\\.", "model.final_norm.")',)),
    Fault("compiled", ("wrapper-prefix",), 1, 3, EVERY, ('add_prefix("_orig_mod.")',)),
    Fault("wrapped", ("wrapper-prefix",), 1, 3,
          EVERY, ('add_prefix("module.")',), apart=("compiled", "repeated", "nested", "dump")),
    Fault("repeated", ("repeated-prefix",), 1, 3,
          TEXT, ('rename("\\\\.mlp\\\\.", ".mlp.mlp.")',), apart=("compiled", "nested", "dump")),
    Fault("nested", ("nesting-prefix", "wrapper-prefix"), 1, 3,
          TEXT, ('add_prefix("language_model.")',), apart=("compiled", "dump")),
    Fault("dump", ("peft-dump",), 1, 3, ("llama", "qwen3_tied"), ('peft_dump(["q_proj", "v_proj"])',), lossless=False,
          apart=("head-in-list",)),
    Fault("trailing", ("trailing-bytes",), 0, 5, EVERY, ('cut_file("model.safetensors", -8)',), apart=("total",)),
    Fault("total", ("total-size-wrong",), 2, 5, EVERY, ("shards(3)", 'edit_index("metadata/total_size", 7)')),
)  # fmt: skip
_OTHER_KIND = {"qwen3_next": "full_attention", "lfm2": "conv"}
WARNS = {"total-size-wrong", "tie-contradicted", "quant-config-stale"}  # a warning comes behind every error


@dataclass(frozen=True)
class Several:
    """A layout with several faults."""

    layout: str
    faults: tuple[Fault, ...]

    @property
    def id(self) -> str:
        return f"{self.layout}: {' + '.join(fault.name for fault in self.faults)}"

    def build(self) -> Checkpoint:
        ordered = sorted(self.faults, key=lambda fault: fault.step)
        lines = [line for fault in ordered for line in fault.mutations]
        return zoo.build(self.layout).mutate(*(zoo.mutation(self._filled(line)) for line in lines))

    def _filled(self, line: str) -> str:
        return line.replace("PLACEHOLDER", _OTHER_KIND.get(self.layout, ""))

    @property
    def firsts(self) -> set[str]:
        """What may be named first: an error before a warning, and what hides the others before them."""
        loud = [fault for fault in self.faults if not set(fault.slugs) & WARNS] or list(self.faults)
        lowest = min(fault.level for fault in loud)
        first = {slug for fault in loud if fault.level == lowest for slug in fault.slugs}
        unjudged = {slug for fault in self.faults for slug in fault.slugs if slug == "quant-config-stale"}
        return first | unjudged  # where names are not judged, what keeps them from it may come first

    @property
    def lossless(self) -> bool:
        return all(fault.lossless for fault in self.faults)


def combined(number: int) -> Iterator[Several]:
    """Every combination of so many faults that touch different things, layout by layout."""
    for layout in EVERY:
        fitting = [fault for fault in FAULTS if layout in fault.layouts]
        for chosen in combinations(fitting, number):
            names = {fault.name for fault in chosen}
            if not any(set(fault.apart) & names for fault in chosen):
                yield Several(layout, chosen)


def sample(number: int, size: int, seed: int = 20261201) -> list[Several]:
    """A fixed part of the combinations of so many faults."""
    every = list(combined(number))
    return random.Random(seed).sample(every, min(size, len(every)))
