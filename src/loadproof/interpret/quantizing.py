"""What a quantizer of the release makes of a model, by the release's own text and in the order of `from_pretrained`.

`get_hf_quantizer` is evaluated on the configuration before the model is made (it may raise: a package is absent, a
machine is not enough), `preprocess_model` on the shape-only model afterwards.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from loadproof.core.device import device_of
from loadproof.core.dtypes import as_stored, is_packed
from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.gate import find, signature_names, state
from loadproof.interpret.release.plain_data import plain
from loadproof.interpret.release.world import World
from loadproof.interpret.shapes.dtypes import FLOAT32, DType, dtype_named, name_of
from loadproof.interpret.shapes.linear import Embedding, Linear
from loadproof.interpret.shapes.module import Module
from loadproof.interpret.shapes.tensor import Tensor

_AUTO = "transformers.quantizers.auto"
# What `from_pretrained(folder)` hands over where the user gives nothing else.
_PLAIN: dict[str, Any] = {"quantization_config": None, "device_map": None, "weights_only": True, "gguf_file": None}


class Started(NamedTuple):
    """A quantizer that has seen the configuration, and the device map that it wants."""

    quantizer: Any
    device_map: Any
    dtype: DType

    @property
    def told(self) -> str:
        """Everything that it knows before it sees the model."""
        parts = (state(self.quantizer), state(self.quantizer.quantization_config))
        return repr([*(plain(dict(part)) for part in parts), self.device_map, self.dtype])


def is_the_same_on(device: str, world: World, config: Any, started: Started | None) -> bool:
    """Whether the quantizer starts as it did on another machine; `config` is the configuration before it was started."""
    world.budget.device = device_of(device)
    try:
        other = start(world, config)
    except Exception:  # it is met again when the answer for this machine is worked out
        return False
    return (other.told if other else None) == (started.told if started else None)


def start(world: World, config: Any) -> Started | None:
    """The quantizer of a configuration; None where it declares none that the release knows.

    Raises what the library raises, and NotUnderstood.
    """
    make: Any = world.load(_AUTO, "get_hf_quantizer")
    known = {**_PLAIN, "config": config, "user_agent": {}}
    names = signature_names(make) or ()
    try:
        quantizer, _, device_map = make(**{name: known[name] for name in names if name in known})
    except ImportError as problem:  # a package is not installed, or too old
        raise certain(problem) from None
    if quantizer is None:
        return None
    dtype = quantizer.update_dtype(_dtype_of(config))
    world.budget.dtype = dtype if isinstance(dtype, DType) else None
    return Started(quantizer, device_map, dtype)


def _dtype_of(config: Any) -> DType:
    """The dtype that the configuration states; that of the stored tensors decides where it states none."""
    stated = find(config, "dtype", None)
    stated = stated if isinstance(stated, str | DType) else find(config, "torch_dtype", None)
    if isinstance(stated, DType):
        return stated
    return (dtype_named(stated.removeprefix("torch.")) if isinstance(stated, str) else None) or FLOAT32


def finish(started: Started, model: Any) -> None:
    """Let the quantizer replace the modules of the built model."""
    _share_ties(model)
    started.quantizer.preprocess_model(
        model=model, dtype=started.dtype, device_map=started.device_map, checkpoint_files=None, use_kernels=False
    )


def _share_ties(model: Any) -> None:
    """A tied parameter is the same object as its source, as `post_init` of 5.x leaves it: quantizers count distinct ones."""
    for target, source in (find(model, "all_tied_weights_keys", None) or {}).items():
        owner, leaf = _owner_of(model, source)
        other, tied = _owner_of(model, target)
        if owner is not None and other is not None and owner._parameters.get(leaf) is not None:
            other._parameters[tied] = owner._parameters[leaf]


def _owner_of(model: Any, name: str) -> tuple[Module | None, str]:
    path, _, leaf = name.rpartition(".")
    try:
        found = model.get_submodule(path)
    except AttributeError:
        return None, leaf
    return (found if isinstance(found, Module) else None), leaf


def never_random(model: Any) -> frozenset[str]:
    """Weights that `_init_weights` would fill with random numbers, in a dtype for which torch has none."""
    kinds = (Linear, Embedding)
    found = set()
    for path, module in model.named_modules():
        weight = module._parameters.get("weight") if isinstance(module, kinds) else None
        if isinstance(weight, Tensor) and is_packed(as_stored(name_of(weight.dtype))):
            found.add(f"{path}.weight" if path else "weight")
    return frozenset(found)


def unchecked(quantizer: Any, model: Any) -> frozenset[str]:
    """Parameters whose shape is not compared when they are loaded: `param_needs_quantization` says so of them.

    It looks at the module's class and at the parameter's own name, so one parameter of each pair is asked about.
    """
    answers: dict[tuple[type, str], bool] = {}
    found = set()
    for path, module in model.named_modules():
        for leaf, parameter in module._parameters.items():
            if parameter is None:
                continue
            name, kind = f"{path}.{leaf}" if path else leaf, (type(module), leaf)
            if kind not in answers:
                answers[kind] = bool(quantizer.param_needs_quantization(model, name))
            if answers[kind]:
                found.add(name)
    return frozenset(found)
