"""The tensors inside a loaded training state, folded into families under the names that they will have."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.families import fold
from loadproof.core.tensors import Family, Shape
from loadproof.formats.pickled.values import Value
from loadproof.formats.torch.dtypes import safetensors_name
from loadproof.formats.torch.table import TorchFile
from loadproof.formats.torch.tensors import Tensor

Named = tuple[str, str | None, Shape | None]  # name, dtype as safetensors spells it, shape


def families_of(tensors: Iterable[Named], file: str) -> tuple[Family, ...]:
    """Families of these tensors, as if they lay in `file`."""
    folded = fold((name, (dtype, shape)) for name, dtype, shape in tensors)
    return tuple(Family(template, axes, dtype, shape, (file,)) for template, axes, (dtype, shape) in folded)


def below(value: Value, prefix: str = "") -> list[Named]:
    """The tensors of a flat dict, those whose names begin with the prefix, without it."""
    found: list[Named] = []
    for name, tensor in value.items() if isinstance(value, dict) else ():
        if isinstance(name, str) and isinstance(tensor, Tensor) and name.startswith(prefix):
            found.append((name[len(prefix) :], safetensors_name(tensor.dtype), tensor.shape))
    return found


def value_of(found: TorchFile | None, *keys: str) -> Value:
    """What lies under these keys, one in the other; None where nothing does."""
    value = found.root if found is not None else None
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def whole_number(value: Value) -> int | None:
    """A count that a training state names, None where it is none that can be."""
    return value if type(value) is int and 0 < value < 1_000_000 else None
