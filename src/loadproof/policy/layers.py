"""Settings from several places, laid over each other: defaults, the file, what it says of a path, the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from loadproof.core.policy import Setting
from loadproof.policy.keys import ADDED, KEYS, Value


class PolicyError(ValueError):
    """A policy or baseline that cannot be used; the message names the file, the line, and what to write."""


class Layer(Struct, frozen=True):
    """What one place says: values by key, and where each stands. `paths` limits it to targets; None: it holds for all."""

    values: dict[str, Value]
    origins: dict[str, str] = {}
    paths: tuple[str, ...] | None = None


def default_layer() -> Layer:
    """What holds where nobody says anything."""
    return Layer({name: key.default for name, key in KEYS.items()})


def settle(layers: Iterable[Layer]) -> dict[str, Setting]:
    """The setting of every key; later layers stand above earlier ones."""
    settled: dict[str, Setting] = {}
    for layer in layers:
        for name, value in layer.values.items():
            origin = layer.origins.get(name, "default")
            below = settled.get(name)
            settled[name] = Setting(name, value, origin) if below is None else _above(below, value, origin)
    return settled


def _above(below: Setting, value: Value, origin: str) -> Setting:
    if below.key not in ADDED or not below.value:
        return Setting(below.key, value, origin)
    return Setting(below.key, _added(below.value, value), f"{below.origin}, {origin}")


def _added(below: Value, value: Value) -> Value:
    if isinstance(below, Mapping) and isinstance(value, Mapping):
        return {**below, **value}
    if isinstance(below, tuple) and isinstance(value, tuple):
        return tuple(dict.fromkeys((*below, *value)))
    return value
