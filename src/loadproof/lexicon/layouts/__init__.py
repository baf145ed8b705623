"""How quantizers lay out one weight on disk, as data: one file a layout, its tensors by name, dtype and shape.

In the terms of a shape O is out features, I in features, E experts, b bits, g the group, n and k a block; `*` is any
size, and a division rounds up. ``"qweight": ["I32", "I*b/32, O"]`` names the dtypes first, then every shape it may have.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct, json

FOLDER = os.path.dirname(__file__)


class Layout(Struct, frozen=True, forbid_unknown_fields=True):
    """One layout. The names in `tensors` stand below a module, or behind the name of stacked experts where `stacked`."""

    name: str
    title: str  # what reports call it
    source: str  # where it is written down
    methods: tuple[str, ...]  # words of `quant_method` under which it is read; empty: not by transformers
    packed: str  # which of the tensors holds the weight
    scale: str  # which one its scales
    tensors: dict[str, tuple[str, ...]]
    requires: tuple[str, ...]
    zero: str = ""  # which one the zero points of asymmetric weights
    activations: tuple[str, ...] = ()  # scales of static activations
    free: tuple[str, ...] = ()  # optional for each module by itself
    applies_to: tuple[str, ...] = ("linear",)
    stacked: bool = False
    alone: bool = False  # its weight betrays it even where every companion is lost
    instead: dict[str, str] = {}  # of the required ones: what may stand in their place
    aliases: dict[str, str] = {}  # other names that the method's own reader takes
    options: dict[str, tuple[int, ...]] = {}  # `bits`: which are written, the usual one first
    overrides: tuple[str, ...] = ()  # fields that say other numbers for some of the modules
    config: dict[str, Any] = {}  # the declaration that reads it; `$bits` and the like are what the tensors prove

    @property
    def all_or_none(self) -> tuple[str, ...]:
        """What a layout may do without, but not for some indices of a module only."""
        return tuple(name for name in self.tensors if name not in (*self.requires, *self.free, *self.instead.values()))

    @property
    def bits(self) -> tuple[int, ...]:
        return self.options.get("bits", (8,))

    def dtypes(self, name: str) -> frozenset[str]:
        """The dtypes that this tensor may have."""
        return frozenset(self.tensors[name][0].split())

    def shapes(self, name: str) -> tuple[str, ...]:
        """The shapes that it may have, each as terms."""
        return self.tensors[name][1:]


@cache
def layouts() -> Mapping[str, Layout]:
    """Every layout by its name."""
    decode = json.Decoder(Layout).decode
    names = sorted(name for name in os.listdir(FOLDER) if name.endswith(".json"))
    return {name.removesuffix(".json"): decode(_bytes(name)) for name in names}


def _bytes(name: str) -> bytes:
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


def of_method(method: str) -> tuple[Layout, ...]:
    """The layouts that a word of `quant_method` reads."""
    return tuple(layout for layout in layouts().values() if method in layout.methods)
