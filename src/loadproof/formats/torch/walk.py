"""The tensors inside the value that a pickle describes, each by its path."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.formats.faults import Faults
from loadproof.formats.pickled.values import Called, Unhashed, Value
from loadproof.formats.torch.table import Path, Stored, TorchFile
from loadproof.formats.torch.tensors import Array, Tensor

MOST_DEEP = 200
_SPARE = 10_000  # values that a pickle of any size may hold
_PLAIN = frozenset((str, int, float, bool, bytes, complex, type(None)))
_Part = tuple[Path, Value]


def collect(found: TorchFile, file: str, faults: Faults) -> None:
    """List the tensors. A tree has fewer values than its pickle has bytes: more of them come from a doubled memo."""
    if isinstance(found.root, dict) and all(isinstance(v, Tensor) and not v.inner for v in found.root.values()):
        found.stored.extend(Stored((_key(key),), value) for key, value in found.root.items())  # a flat state dict
        return
    todo: list[_Part] = [((), found.root)]
    left = found.end + _SPARE
    while todo:
        path, value = todo.pop()
        parts = [((*path, key), part) for key, part in _parts(value) if type(part) not in _PLAIN]
        left -= len(parts)  # before they are kept: a list that holds itself often would fill the memory
        if left < 0 or len(path) > MOST_DEEP:
            text = "the values of the pickle are nested too deeply, or refer to each other too often, to look at all"
            faults.add("LP006", file, "nesting", text)
            found.is_read = False
            return
        if isinstance(value, Tensor):
            found.stored.append(Stored(path, value))
        todo.extend(reversed(parts))


def _key(key: Value) -> Value:
    return key.value if isinstance(key, Unhashed) else key


def _parts(value: Value) -> Iterator[tuple[Value, Value]]:
    if isinstance(value, Tensor):
        yield from ((key, part) for key, part in value.inner.items() if isinstance(part, Tensor | dict | tuple))
    elif isinstance(value, dict):
        yield from ((_key(key), part) for key, part in value.items())
    elif isinstance(value, list | tuple):
        yield from enumerate(value)
    elif isinstance(value, Called):
        yield "()", value.arguments
        yield "state", value.state
        yield from (("[]", item) for _, item in value.items)


def kind_of(value: Value) -> str:
    """``tensor``, ``dict``, ``list``, ``array``, ``object`` or ``plain``."""
    if isinstance(value, Tensor):
        return "tensor"
    if isinstance(value, dict):
        return "dict"
    if isinstance(value, list | tuple):
        return "list"
    if isinstance(value, Array):
        return "array"
    return "plain" if type(value) in _PLAIN else "object"
