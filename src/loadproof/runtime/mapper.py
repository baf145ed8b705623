"""State-dict mapping by layer plan: validated first; nothing is filled unasked, and what was filled is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from loadproof.runtime.errors import LayerPlanError
from loadproof.runtime.layer_names import (
    find_prefix,
    is_linear,
    layers_of,
    mixer_of,
    mixer_word,
    not_a_state_dict,
    show_layers,
)
from loadproof.runtime.layer_plan import LayerPlan

Default = str | Callable[..., Any] | None
_NAMED = ("zeros", "identity", "skip")


class NotStored:
    """Stands where a weight is missing and no default was named. Using it as a value raises LayerPlanError."""

    def __init__(self, key: str) -> None:
        self.key = key

    def __repr__(self) -> str:
        return f"<not stored: {self.key}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise LayerPlanError(f"{self.key} is not in the checkpoint and no default was named (default='zeros', ...)")


class MappedWeights(dict[str, Any]):
    """The mapped state dict. `filled`: key -> how it was made up; `missing`: keys without a value; `unused`: keys of
    mixers that the plan does not have."""

    def __init__(self) -> None:
        super().__init__()
        self.filled: dict[str, str] = {}
        self.missing: list[str] = []
        self.unused: list[str] = []


def infer_layer_types_from_checkpoint(state_dict: Mapping[str, Any] | str) -> dict[int, str]:
    """{layer: word} from what is stored: ``linear_attn``, ``mamba``, ``conv``, ``full_attn``, ``no mixer``.

    Takes a state dict or a checkpoint folder. Sliding and full attention have the same tensors and the same word.
    """
    from loadproof.runtime.layer_names import names_in

    names = names_in(state_dict)
    return {i: mixer_word(children) for i, children in sorted(layers_of(names, find_prefix(names)).items())}


def map_weights_safe(
    state_dict: Mapping[str, Any], layer_types: Mapping[int, str], default: Default = None, prefix: str | None = None
) -> MappedWeights:
    """Map a state dict by layer types; missing mixers are treated as `default` says, never silently.

    default: ``"zeros"`` or ``"identity"`` (shapes taken from another layer with that mixer), a callable
    ``default(key, like)`` (`like`: the same tensor of another layer, or None), ``"skip"`` (left out), or None: the key
    maps to a `NotStored` marker. The result's `filled` and `missing` say what happened. Names outside of mixers pass
    unchanged. Raises ValueError for another default, LayerPlanError when a fill is impossible.
    """
    if not (default is None or callable(default) or default in _NAMED):
        raise ValueError(f"default must be one of {_NAMED}, a callable, or None; found {default!r}")
    if not isinstance(state_dict, Mapping):
        raise not_a_state_dict(state_dict)
    prefix = find_prefix(state_dict) if prefix is None else prefix
    mapped = _pass_through(state_dict, layer_types, prefix)
    for index, word in layer_types.items():
        layer = f"{prefix}layers.{index}."
        if not any(k.startswith(layer) and mixer_of(k[len(layer) :]) for k in mapped):
            _fill(mapped, state_dict, prefix, index, word, default)
    return mapped


def _pass_through(state_dict: Mapping[str, Any], layer_types: Mapping[int, str], prefix: str) -> MappedWeights:
    """Everything but the mixers that contradict the plan."""
    mapped, start = MappedWeights(), prefix + "layers."
    stored = _linear_by_container(state_dict, prefix)
    for key, value in state_dict.items():
        index, _, rest = key[len(start) :].partition(".") if key.startswith(start) else ("", "", "")
        container = mixer_of(rest)
        declared = layer_types.get(int(index)) if index.isdigit() else None
        if container is None or declared is None or stored[int(index), container] == is_linear(declared):
            mapped[key] = value
        else:
            mapped.unused.append(key)
    return mapped


def _linear_by_container(state_dict: Mapping[str, Any], prefix: str) -> dict[tuple[int, str], bool]:
    """{(layer, container): whether it is linear}, each container judged by its own children."""
    found: dict[tuple[int, str], set[str]] = {}
    for index, children in layers_of(state_dict, prefix).items():
        for rest in children:
            if container := mixer_of(rest):
                found.setdefault((index, container), set()).add(rest)
    return {place: is_linear(mixer_word(children)) for place, children in found.items()}


def _fill(
    mapped: MappedWeights, state_dict: Mapping[str, Any], prefix: str, index: int,
    word: str, default: Default,
) -> None:  # fmt: skip
    container = "linear_attn" if is_linear(word) else "self_attn"
    like = _like(state_dict, prefix, word)
    wanted = {f"{prefix}layers.{index}.{rest}": value for rest, value in like.items()}
    for key, value in (wanted or {f"{prefix}layers.{index}.{container}": None}).items():
        mapped.missing.append(key)
        if default == "skip":
            continue
        mapped[key] = NotStored(key) if default is None else _made(default, key, value)
        if default is not None:
            mapped.filled[key] = default if isinstance(default, str) else getattr(default, "__name__", "callable")


def _like(state_dict: Mapping[str, Any], prefix: str, word: str) -> dict[str, Any]:
    """{name inside the layer: value} of the first stored layer with the same kind of mixer."""
    layers = layers_of(state_dict, prefix)
    for index, children in sorted(layers.items()):
        if is_linear(mixer_word(children)) == is_linear(word) and mixer_word(children) != "no mixer":
            return {r: state_dict[f"{prefix}layers.{index}.{r}"] for r in sorted(children) if mixer_of(r)}
    return {}


def _made(default: Default, key: str, like: Any) -> Any:
    if callable(default):
        return default(key, like)
    if not hasattr(like, "new_zeros"):
        raise LayerPlanError(
            f"{key}: no stored layer has this mixer, so default={default!r} has no shape to take; "
            "give a callable default(key, like)"
        )
    made = like.new_zeros(like.shape)
    if default == "identity":
        if made.dim() != 2 or made.shape[0] != made.shape[1]:
            return made if made.dim() < 2 else _no_identity(key, like)
        made.fill_diagonal_(1)
    return made


def _no_identity(key: str, like: Any) -> Any:
    raise LayerPlanError(f"{key} is {list(like.shape)}: only a square matrix has an identity; name another default")


def build_state_dict_mapper(plan: LayerPlan) -> Callable[[Mapping[str, Any]], MappedWeights]:
    """A function state_dict -> MappedWeights that validates first and names every layer that is missing.

    The function raises LayerPlanError (a ValueError and a KeyError) instead of a bare KeyError.
    """

    def mapper(state_dict: Mapping[str, Any]) -> MappedWeights:
        plan.validate_against_checkpoint(state_dict)
        prefix = plan.prefix if plan.prefix is not None else find_prefix(state_dict)
        types = {i: plan.type_of(i) for i in range(plan.num_layers)}
        mapped = map_weights_safe(state_dict, types, default="skip", prefix=prefix)
        if mapped.missing:
            layers = {int(k[len(prefix) :].split(".")[1]) for k in mapped.missing}
            raise LayerPlanError(
                f"no mixer is stored for layer(s) {show_layers(layers)} of {plan.num_layers}; "
                f"first missing key: {mapped.missing[0]}",
                tuple(sorted(layers)),
            )
        return mapped

    return mapper
