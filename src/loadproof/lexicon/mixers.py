"""What mixes the tokens in one layer, recognised by the names of its tensors.

Signatures as the model classes of transformers 5.24 create them and as released files spell them.
"""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.lexicon.experts import MODULES as EXPERT_MODULES
from loadproof.lexicon.feed_forward import MATRICES
from loadproof.lexicon.feed_forward import MODULES as FEED_FORWARD_MODULES
from loadproof.lexicon.words import any_of

Mixer = tuple[str | None, str | None]  # (canonical word of a plan, what the mixer is called)
UNKNOWN: Mixer = (None, None)

_QUERY_NAMES = (
    "q_proj k_proj qkv_proj query_key_value c_attn Wqkv wqkv q_a_proj q_b_proj kv_a_proj_with_mqa kv_b_proj qkv query "
    "key wq wk attn_q attn_k att_proj W_pack in_proj_weight kv_proj wq_a wkv"
)
_ATTENTION = frozenset(_QUERY_NAMES.split())
# Modules of a layer that hold a mixer, in released files and as engines register them.
SOFTMAX_MODULES = ("self_attn", "attention", "attn")
LINEAR_MODULES = ("linear_attn", "mamba", "mixer", "conv", "short_conv", "temporal_block")
_ENGINE_MODULES = (
    *("k_cache", "indexer", "indexer.k_cache", "experts", "gdn", "kda", "linear_attention", "cross_attn"),
    *("encoder_attn", "mla_attn", "lightning_attn", "ssm", "block_sparse_moe"),
)
RUNTIME_MODULE = rf"(?:^|\.)(?:{any_of((*LINEAR_MODULES, *SOFTMAX_MODULES, *_ENGINE_MODULES))})$"
# Words of plans and tools for a mixer other than softmax attention.
LINEAR_WORDS = frozenset((
    "linear_attn", "linear_attention", "mamba", "mamba2", "kda", "gdn", "gated_deltanet", "lightning",
    "lightning_attention", "recurrent", "rglru", "rwkv", "gla", "conv", "short_conv",
))  # fmt: skip
# The part of a model that a diff groups as one: `.linear_attn.` and the like.
LINEAR = rf"\.(?:{any_of((*LINEAR_MODULES, 'ssm', 'rg_lru', 'block_sparse_attn'))})\."
# Projections that engines and some families fuse, and what stands for them in other families.
FUSED = ("in_proj_qkvz", "in_proj_ba", "gate_up_proj", "qkv_proj", "Wqkv", "c_attn")


def mixer_of(children: Iterable[str]) -> Mixer:
    """The mixer of one layer from the names inside it (``self_attn.q_proj.weight``); unknown is (None, None)."""
    modules = _modules(children)
    found = {module: mixer for module, parts in modules.items() if (mixer := _module_mixer(module, parts))}
    kinds = {word for word, _ in found.values()}
    if {"linear_attention", "full_attention"} <= kinds:
        return "hybrid", _both(found)
    if "linear_attention" in kinds and _is_nested(found, modules):
        return "hybrid", "shared attention beside " + _names(found)
    for word in ("linear_attention", "conv", "cross_attention", "indexed_attention", "full_attention"):
        chosen = [mixer for mixer in found.values() if mixer[0] == word]
        if chosen:
            return chosen[0]
    return _block(modules)


def mixer_modules(children: Iterable[str]) -> list[str]:
    """The sub-modules of one layer that hold a mixer, sorted; a block that is alone in its layer counts as one."""
    modules = _modules(children)
    found = [module for module, parts in modules.items() if _module_mixer(module, parts)]
    return sorted(found or [module for module in modules if "norm" not in module and _block(modules) != UNKNOWN])


def is_sparse(children: Iterable[str]) -> bool | None:
    """Whether the layer's feed-forward part is a mixture of experts; None when it has none that is recognised."""
    modules = _modules(children)
    parts = {part for module, inside in modules.items() if not _module_mixer(module, inside) for part in inside}
    parts |= modules.keys()
    if not parts.isdisjoint(EXPERT_MODULES):
        return True
    return False if not MATRICES.keys().isdisjoint(parts) else None


def _modules(children: Iterable[str]) -> dict[str, set[str]]:
    """Sub-module -> all name parts below it."""
    modules: dict[str, set[str]] = {}
    for name in children:
        module, _, rest = name.partition(".")
        modules.setdefault(module, set()).update(rest.split("."))
    return modules


def _module_mixer(module: str, parts: set[str]) -> Mixer | None:
    if "A_log" in parts:
        return "linear_attention", _state_space(parts)
    if "rg_lru" in parts:
        return "linear_attention", "RG-LRU"
    if parts & {"time_decay", "time_maa_x", "time_mix_k", "time_first"}:
        return "linear_attention", "RWKV"
    if {"qkv_proj", "output_gate"} <= parts or "slope_rate" in parts:
        return "linear_attention", "lightning attention"
    if "gk_proj" in parts or {"f_proj", "i_proj"} <= parts:
        return "linear_attention", "gated linear attention"
    if module == "conv" and "in_proj" in parts:
        return "conv", "short convolution"
    if module.startswith("cross_attn"):
        return "cross_attention", "cross attention"
    if "indexer" in parts:
        return "indexed_attention", "attention with an indexer"
    if module in FEED_FORWARD_MODULES or module in EXPERT_MODULES or not parts & _ATTENTION:
        return None
    return "full_attention", "latent attention (MLA)" if "kv_a_proj_with_mqa" in parts else "attention"


def _state_space(parts: set[str]) -> str:
    """Which recurrent mixer keeps an A_log."""
    if parts & {"x_proj", "x_proj_weight"}:
        return "Mamba-1"
    if parts & {"f_a_proj", "f_proj"}:
        return "Kimi delta attention"
    if parts & {"in_proj_qkvz", "in_proj_qkv", "in_proj_ba"} or {"a_proj", "b_proj"} <= parts:
        return "Gated DeltaNet"
    return "Mamba-2" if "in_proj" in parts else "state space"


def _both(found: dict[str, Mixer]) -> str:
    return " and ".join(sorted({name or "" for _, name in found.values()}))


def _names(found: dict[str, Mixer]) -> str:
    return next(name or "" for word, name in found.values() if word == "linear_attention")


def _is_nested(found: dict[str, Mixer], modules: dict[str, set[str]]) -> bool:
    """A recurrent decoder inside the layer beside a `linear`: the shared-block hybrids."""
    return "linear" in modules and any("mamba" in modules[module] for module in found)


def _block(modules: dict[str, set[str]]) -> Mixer:
    """Families with one block per layer: the block is the only thing beside a norm."""
    blocks = [parts for module, parts in modules.items() if "norm" not in module]
    if len(blocks) != 1 or len(modules) > 2:
        return UNKNOWN  # two norms around a feed-forward part: a layer whose mixer is not there
    if "experts" in blocks[0]:
        return "moe", "experts"
    return ("mlp", "feed-forward block") if not MATRICES.keys().isdisjoint(blocks[0]) else UNKNOWN
