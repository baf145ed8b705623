"""Kinds of damage to the tensors of a saved checkpoint: (name -> tensor) to (name -> tensor)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Tensors = dict[str, Any]
Kind = Callable[[Tensors, random.Random, Any], Tensors]
KINDS: dict[str, Kind] = {}
_TABLES = ("embed_tokens", "lm_head", "word_embeddings", "embeddings", "wte", "embed_in", "embed_out")


def kind(
    function: Callable[[Tensors, random.Random, Any], Tensors],
) -> Callable[[Tensors, random.Random, Any], Tensors]:
    KINDS[function.__name__] = function
    return function


def _renamed(state: Tensors, rename: Callable[[str], str]) -> Tensors:
    return {rename(name): tensor for name, tensor in state.items()}


def _kept(state: Tensors, keep: Callable[[str], bool]) -> Tensors:
    return {name: tensor for name, tensor in state.items() if keep(name)}


def _some(state: Tensors, rng: random.Random, number: int, least: int = 0, most: int = 9) -> list[str]:
    names = sorted(name for name, tensor in state.items() if least <= tensor.dim() <= most)
    return rng.sample(names, min(number, len(names)))


@kind
def nothing(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return dict(state)


@kind
def three_tensors_dropped(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    lost = _some(state, rng, 3)
    return _kept(state, lambda name: name not in lost)


@kind
def layer_dropped(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    layer = rng.randint(1, 4)
    return _kept(state, lambda name: f".{layer}." not in name)


@kind
def first_layer_tensors_dropped(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    lost = rng.sample([name for name in sorted(state) if ".0." in name] or sorted(state), 1)
    return _kept(state, lambda name: name not in lost)


@kind
def layers_shifted_by_one(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _renamed(state, lambda name: ".".join(str(int(p) + 1) if p.isdigit() else p for p in name.split(".")))


@kind
def expert_dropped(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _kept(state, lambda name: ".experts.2." not in name)


@kind
def one_expert_projection_dropped(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    lost = [name for name in sorted(state) if ".experts.1." in name]
    lost = [rng.choice(lost)] if lost else []
    return _kept(state, lambda name: name not in lost)


@kind
def experts_renumbered_from_one(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    def plus_one(name: str) -> str:
        head, found, tail = name.partition(".experts.")
        number, _, rest = tail.partition(".")
        return f"{head}.experts.{int(number) + 1}.{rest}" if found and number.isdigit() else name

    return _renamed(state, plus_one)


@kind
def one_expert_of_another_shape(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    found = [name for name in sorted(state) if ".experts.3." in name and state[name].dim() == 2]
    return state | {name: state[name].t().contiguous() for name in found[:1]}


@kind
def prefix_language_model(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _renamed(state, lambda name: "language_model." + name)


@kind
def prefix_module(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _renamed(state, lambda name: "module." + name)


@kind
def base_prefix_doubled(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _renamed(state, lambda name: f"{model.base_model_prefix}.{name}")


@kind
def base_prefix_stripped(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _renamed(state, lambda name: name.removeprefix(f"{model.base_model_prefix}."))


@kind
def base_prefix_on_some(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    prefix = f"{model.base_model_prefix}."
    return _renamed(state, lambda name: name.removeprefix(prefix) if ".1." in name or ".10." in name else name)


@kind
def language_model_inside(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _renamed(state, lambda name: name.replace("model.", "model.language_model.", 1))


@kind
def both_spellings(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    prefix = f"{model.base_model_prefix}."
    names = [name for name in sorted(state) if name.startswith(prefix)]
    return state | {name.removeprefix(prefix): state[name] * 2 for name in rng.sample(names, min(5, len(names)))}


@kind
def both_spellings_of_other_shape(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    prefix = f"{model.base_model_prefix}."
    names = [name for name in sorted(state) if name.startswith(prefix)]
    return state | {name.removeprefix(prefix): state[name].flatten()[:1] for name in names[::3]}


@kind
def flattened(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return state | {name: state[name].flatten() for name in _some(state, rng, 2, least=2)}


@kind
def transposed(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return state | {name: state[name].t().contiguous() for name in _some(state, rng, 3, least=2, most=2)}


@kind
def embeddings_flattened(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return state | {name: state[name].flatten() for name in state if any(table in name for table in _TABLES)}


@kind
def vocabulary_rows_missing(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    rows = {name: tensor[:-3] for name, tensor in state.items() if tensor.dim() == 2 and tensor.shape[0] == 206}
    return state | {name: tensor.contiguous() for name, tensor in rows.items()}


@kind
def foreign_tensors_added(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    import torch

    names = (
        "model.layers.99.foo.weight",
        "mtp.layers.0.x.weight",
        "model.layers.0.self_attn.rotary_emb.inv_freq",
        "model.layers.7.self_attn.rotary_emb.inv_freq",
        "lm_head.bias",
        "model.layers.61.self_attn.q_proj.weight",
        "transformer.h.0.attn.position_ids",
        "0.weight",
    )
    return state | {name: torch.zeros(2) for name in names}


@kind
def mixers_swapped(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _renamed(
        state,
        lambda name: name.replace("linear_attn", "\0").replace("self_attn.", "linear_attn.").replace("\0", "self_attn"),
    )


@kind
def embeddings_and_head_dropped(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _kept(state, lambda name: not any(table in name for table in _TABLES))


@kind
def head_added_or_removed(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    state = dict(state)
    if state.pop("lm_head.weight", None) is None:
        table = next((n for n in sorted(state) if n.endswith(("embed_tokens.weight", "embeddings.weight"))), None)
        state |= {"lm_head.weight": state[table] + 1} if table else {}
    return state


@kind
def module_names(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


@kind
def module_names_beside_saved_ones(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    own = {name: tensor.clone() for name, tensor in model.state_dict().items() if ".1." in name}
    return own | state


@kind
def old_norm_names(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _renamed(state, lambda name: name.replace("norm.weight", "LayerNorm.gamma"))


@kind
def nested_twice(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _renamed(state, lambda name: "model.language_model.model." + name.removeprefix("model."))


@kind
def empty(state: Tensors, rng: random.Random, model: Any) -> Tensors:
    return _kept(state, lambda name: name in sorted(state)[:1])
