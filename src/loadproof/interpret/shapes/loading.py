"""`Module.load_state_dict`: what is missing, unexpected and of another size, in the words of torch 2.13."""

# ruff: noqa: ARG001 - the signatures are torch's
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.gate import class_of, state
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Open, Value
from loadproof.interpret.shapes.tensor import Tensor

_KEPT = ":loaded"  # no source text can spell it


class Load(NamedTuple):
    """One call of `load_state_dict`, as its module remembers it."""

    given: dict[str, tuple[str, ...]]  # name -> the stored tensors of which its numbers come
    missing: tuple[str, ...]
    unexpected: tuple[str, ...]


class IncompatibleKeys(Open):
    """What `load_state_dict` returns: a pair with names."""

    def __init__(self, missing: list[str], unexpected: list[str]) -> None:
        self.missing_keys, self.unexpected_keys = missing, unexpected

    def __iter__(self) -> Iterator[Value]:
        return iter((self.missing_keys, self.unexpected_keys))


def last_load(module: Any) -> Load | None:
    """The last load into this very module, None where there was none."""
    found: Load | None = state(module).get(_KEPT)
    return found


def load_state_dict(self: Any, state_dict: Any, strict: Value = True, assign: Value = False) -> Value:
    """Mark the tensors that are filled from it. Raises what torch raises for names and sizes that do not fit."""
    if not isinstance(state_dict, Mapping):
        return Unknown("load_state_dict()")
    own = self.state_dict()
    problems = [
        said for name, tensor in own.items() if name in state_dict and (said := _take(name, tensor, state_dict))
    ]
    missing = [name for name in own if name not in state_dict]
    unexpected = [name for name in state_dict if name not in own]
    state(self)[_KEPT] = Load(_origins(state_dict), tuple(missing), tuple(unexpected))
    if strict:
        problems[:0] = [*_listed("Missing", missing), *_listed("Unexpected", unexpected)]
    if problems:
        text = "\n\t".join(problems)
        raise certain(RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}"))
    return IncompatibleKeys(missing, unexpected)


def _take(name: str, tensor: Any, given: Mapping[str, Any]) -> str | None:
    """Fill one tensor; what torch says where the given one does not fit."""
    new = given[name]
    if not isinstance(new, Tensor):
        what = (
            f'While copying the parameter named "{name}", expected torch.Tensor or Tensor-like object from checkpoint'
        )
        return f"{what} but received {class_of(new)}"
    wanted, found = tuple(tensor.known()), tuple(new.known())
    if not wanted and len(found) == 1:  # an old file: a number was a tensor of one dimension
        found = ()
    if found != wanted:
        return (
            f"size mismatch for {name}: copying a param with shape {_size(found)} from checkpoint, the shape in current model "
            f"is {_size(wanted)}."
        )
    tensor.fill, tensor.origin = new.fill, new.origin
    return None


def _origins(given: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {name: tensor.origin if isinstance(tensor, Tensor) else () for name, tensor in given.items()}


def _size(shape: tuple[int, ...]) -> str:
    return f"torch.Size({list(shape)})"


def _listed(kind: str, names: list[str]) -> list[str]:
    quoted = ", ".join(f'"{name}"' for name in names)
    return [f"{kind} key(s) in state_dict: {quoted}. "] if names else []
