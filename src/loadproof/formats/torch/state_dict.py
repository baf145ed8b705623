"""A torch file as a state dict: the outermost dict by name, and what in it is no dense tensor."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import prod

from loadproof.core.families import fold, group_by_mask
from loadproof.core.tensors import UNDER, Family, Shape, StoredValue, TensorRecord
from loadproof.formats.base import TensorFile
from loadproof.formats.faults import Faults
from loadproof.formats.pickled.values import Called, Mapping, Members, Value
from loadproof.formats.torch.dtypes import SIZES, safetensors_name
from loadproof.formats.torch.table import Path, Stored, TorchFile
from loadproof.formats.torch.tensors import Array, Tensor
from loadproof.formats.torch.views import is_contiguous, name_of

_FLOATS = frozenset(("float64", "float32", "float16", "bfloat16"))
_LONGEST_KIND = 100  # characters of the name of a class
_Facts = tuple[str | None, Shape | None, int]  # dtype, shape, bytes


def as_tensor_file(found: TorchFile, size: int, file: str, faults: Faults) -> TensorFile:
    """What a library finds that takes the file for a state dict; `size` of the file in bytes."""
    if not found.is_read:
        return TensorFile(problems=faults.result())
    root = found.root
    values = tuple(_values(found, file))
    if not isinstance(root, dict):
        return TensorFile((), values=values, problems=faults.result())
    top = {one.path[0]: one for one in found.stored if len(one.path) == 1}
    facts = {key: _facts(value) for key, value in root.items() if isinstance(key, str)}
    names = tuple(facts)
    columns = ([fact[i] for fact in facts.values()] for i in range(3))

    def locate(wanted: Collection[str]) -> Iterator[TensorRecord]:
        return (_record(name, top[name], size, file) for name in wanted if name in top and _is_dense(top[name]))

    total = sum(fact[2] for fact in facts.values())
    return TensorFile(
        names,
        group_by_mask(names, *columns),
        locate,
        bytes=total,
        problems=faults.result(),
        shared=total - _distinct(top.values()),
        values=values,
    )


def _facts(value: Value) -> _Facts:
    if not isinstance(value, Tensor):
        return None, None, 0
    return safetensors_name(value.dtype), value.shape, _bytes(value)


def _bytes(tensor: Tensor) -> int:
    return prod(tensor.shape) * SIZES[tensor.dtype]


def _distinct(stored: Collection[Stored]) -> int:
    """The bytes of all tensors, those of one storage counted once."""
    largest: dict[object, int] = {}
    for one in stored:
        key = one.begin if one.begin >= 0 else id(one)
        largest[key] = max(largest.get(key, 0), _bytes(one.tensor))
    return sum(largest.values())


def _is_dense(stored: Stored) -> bool:
    return stored.tensor.kind == "strided" and stored.begin >= 0


def _record(name: str, stored: Stored, size: int, file: str) -> TensorRecord:
    """Where the elements lie, as a reader that maps the file finds them."""
    tensor, width = stored.tensor, SIZES[stored.tensor.dtype]
    begin = min(stored.begin + tensor.offset * width, size)
    is_dense = is_contiguous(tensor)
    end = min(begin + _bytes(tensor), size) if is_dense else max(begin, min(stored.end, size))
    strides = None if is_dense else tensor.stride
    return TensorRecord(name, safetensors_name(tensor.dtype), tensor.shape, file, begin, end, strides)


def _values(found: TorchFile, file: str) -> Iterator[StoredValue]:
    """Everything of the outermost dict that is no dense tensor, in its order."""
    root = found.root
    if not isinstance(root, dict):
        inside = [(one.path, one) for one in found.stored]
        yield StoredValue("", _kind(root), file, comes_first=True, families=_families(inside, file))
        return
    below: dict[int, list[tuple[Path, Stored]]] = {}
    for one in found.stored:
        if len(one.path) > 1:
            below.setdefault(id(one.path[0]), []).append((one.path[1:], one))
    is_first = True
    for key, value in root.items():
        comes_first = is_first and not isinstance(value, Tensor)
        if isinstance(value, Tensor):
            is_first &= value.dtype not in _FLOATS or value.kind == "quantized"
        if not isinstance(key, str):
            yield StoredValue(name_of((key,)), f"{UNDER}{_kind(key)}", file, comes_first)
        elif not isinstance(value, Tensor) or value.kind != "strided" or value.has_flags:
            inside = below.get(id(key), []) if isinstance(value, dict | list | tuple) else []
            yield StoredValue(key, _kind(value), file, comes_first, _families(inside, file))


def _families(inside: list[tuple[Path, Stored]], file: str) -> tuple[Family, ...]:
    items = ((name_of(path), _facts(one.tensor)[:2]) for path, one in inside)
    return tuple(Family(template, axes, dtype, shape, (file,)) for template, axes, (dtype, shape) in fold(items))


def _kind(value: Value) -> str:
    """The word of Python for the type, as its messages have it."""
    if isinstance(value, Tensor):
        return (
            f"{value.kind} tensor" if value.kind != "strided" else "conjugated tensor" if value.has_flags else "Tensor"
        )
    if isinstance(value, Called):
        return value.word[:_LONGEST_KIND]
    names: dict[type, str] = {Mapping: "collections.OrderedDict", Members: "set", Array: "numpy.ndarray"}
    return names.get(type(value), type(value).__name__)
