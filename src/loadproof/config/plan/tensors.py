"""The layer plan that the tensors themselves show: each layer's mixer, recognised by the children of its sub-modules.

The name of the sub-module is not enough: `self_attn` holds a delta-rule mixer in some families and `mixer` holds every
kind of block in others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loadproof.config.plan.words import DENSE, SPARSE
from loadproof.config.values import MAX_LAYERS
from loadproof.core.config import LayerPlan
from loadproof.core.families import HOLE, count
from loadproof.core.tensors import Family
from loadproof.lexicon.extras import is_other_stack
from loadproof.lexicon.mixers import is_sparse, mixer_of

Layers = dict[int, frozenset[str]]


def plan_from_tensors(families: Iterable[Family]) -> LayerPlan | None:
    """One canonical word per stored layer (`full_attention` stands for every softmax attention), None without layers.

    `field` is the path of the layers, e.g. ``model.layers``; `mixers` says which mixer was recognised. A layer that
    is not stored at all, or whose mixer is not recognised, is None.
    """
    found = decoder_layers(families)
    if found is None:
        return None
    container, layers = found
    known = {children: mixer_of(children) for children in set(layers.values())}
    depth = max(layers) + 1
    shown = [known[layers[layer]] if layer in layers else (None, None) for layer in range(depth)]
    return LayerPlan(tuple(word for word, _ in shown), "tensors", container, mixers=tuple(mixer for _, mixer in shown))


def feed_forward_from_tensors(families: Iterable[Family]) -> LayerPlan | None:
    """``dense`` or ``sparse`` (experts) for each stored layer, None for a layer whose feed-forward part is not there."""
    found = decoder_layers(families)
    if found is None:
        return None
    container, layers = found
    known = {children: _feed_forward(children) for children in set(layers.values())}
    words = tuple(known[layers[layer]] if layer in layers else None for layer in range(max(layers) + 1))
    return LayerPlan(words, "tensors", container)


def _feed_forward(children: frozenset[str]) -> str | None:
    sparse = is_sparse(children)
    return None if sparse is None else SPARSE if sparse else DENSE


def decoder_layers(families: Iterable[Family]) -> tuple[str, Layers] | None:
    """(path of the layer list, {layer: names inside the layer}) of the text decoder, None when there is no list.

    A list with numbers from 10,000 on is none: numbers that somebody made up would cost memory in proportion.
    """
    stacks: dict[str, dict[int, set[str]]] = {}
    sizes: dict[str, int] = {}
    for family in families:
        container, hole, rest = family.template.partition("." + HOLE + ".")
        if not hole or is_other_stack(container):
            continue
        stack = stacks.setdefault(container, {})
        sizes[container] = sizes.get(container, 0) + count(family.axes)
        for layer in family.axes[0]:
            stack.setdefault(layer, set()).add(rest)
    best = max(stacks, key=lambda container: _rank(stacks[container], sizes[container]), default=None)
    if best is None or not any(mixer_of(frozenset(names))[0] for names in stacks[best].values()):
        return None
    if max(stacks[best]) >= MAX_LAYERS:
        return None
    return best, {layer: frozenset(names) for layer, names in stacks[best].items()}


def _rank(stack: Mapping[int, set[str]], size: int) -> tuple[bool, int]:
    """A list whose items hold a mixer before one whose items do not; then the larger one."""
    return any(mixer_of(frozenset(names))[0] for names in stack.values()), size
