"""The ``.metadata`` of a torch distributed checkpoint: names, shapes, and which bytes of which file hold each piece.

torch reads it with plain pickle.load (torch/distributed/checkpoint/filesystem.py of 2.13); here the abstract machine does, and
whatever the file would call is recorded.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import prod

from msgspec import Struct

from loadproof.core.tensors import Shape
from loadproof.formats.faults import Faults, cut
from loadproof.formats.pickled import Known, Machine, PickleError, run
from loadproof.formats.pickled.values import Called, Global, Unhashed, Value
from loadproof.formats.torch.constructors import MAKERS, dtype_of
from loadproof.formats.torch.dtypes import SIZES
from loadproof.formats.torch.tensors import whole_numbers
from loadproof.storage import why_unsafe

_PLACE = "torch.distributed.checkpoint"
_FIELDS = {  # the fields of the classes, where their state comes as a tuple or as arguments
    "Metadata": ("state_dict_metadata", "planner_data", "storage_data", "storage_meta", "version"),
    "TensorStorageMetadata": ("properties", "size", "chunks"),
    "BytesStorageMetadata": (),
    "TensorProperties": ("dtype", "layout", "requires_grad", "memory_format", "pin_memory"),
    "ChunkStorageMetadata": ("offsets", "sizes"),
    "MetadataIndex": ("fqn", "offset", "index"),
    "_MEM_FORMAT_ENCODING": (),
    "StorageMeta": ("checkpoint_id", "save_id", "load_id", "modules"),
}
_CLASSES = {
    *((f"{_PLACE}.metadata", name) for name in _FIELDS),
    *((f"{_PLACE}.filesystem", name) for name in ("_StorageInfo", "_StoragePrefix")),
    (f"{_PLACE}.planner", "WriteItem"),
    ("torch.distributed._shard.sharded_tensor.metadata", "TensorProperties"),
    ("torch.distributed._shard.sharded_tensor.metadata", "MEM_FORMAT_ENCODING"),
    ("pathlib", "PosixPath"),
    ("pathlib._local", "PosixPath"),
}
_INFO = ("relative_path", "offset", "length", "transform_descriptors")
MOST_BYTES = 1 << 28


class Entry(Struct):
    """One name of the state dict; `dtype` and `shape` are None for what is no tensor."""

    name: str
    dtype: str | None = None
    shape: Shape | None = None
    path: tuple[Value, ...] = ()  # in the nested state dict
    elements: int = 0  # that the pieces hold
    bytes: int = 0  # that the files hold


class Metadata(Struct):
    """What is stored, and how many bytes each file must have at least."""

    entries: dict[str, Entry]
    files: dict[str, int]
    is_read: bool = False


def _inert(name: tuple[str, str], arguments: tuple[Value, ...]) -> Called:
    return Called(Global(*name), arguments)


_KNOWN = Known({**{name: partial(_inert, name) for name in _CLASSES}, **MAKERS})


def read_metadata(data: bytes, file: str, faults: Faults) -> Metadata:
    """Never raises: what is wrong becomes a problem."""
    found, machine = Metadata({}, {}), Machine(data, 0, _KNOWN)
    try:
        root = run(machine)
        found.is_read = True
        _read(_fields(root, "Metadata"), found, file, faults)
    except PickleError as error:
        text = f"the pickle breaks off at byte {error.offset:,}: {error}"
        faults.add("LP006", file, "pickle", text, offset=error.offset)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        found.is_read = False
        faults.add("LP006", file, "metadata", f"not the metadata that torch writes: {str(error)[:200]}")
    for name, at in {**machine.calls, **machine.objects}.items():
        text = f"the pickle calls {cut(ascii(name))}; torch would run it, for it reads this file with plain pickle.load"
        faults.add("LP012", file, "call", text, offset=at, found=name)
    return found


def _fields(value: Value, name: str) -> dict[Value, Value]:
    """The fields of a dataclass: its state is a dict, (dict, slots) or a tuple; without one, its arguments."""
    if not isinstance(value, Called) or value.name != name:
        raise ValueError(f"{name} expected")
    state = value.state
    if isinstance(state, tuple) and len(state) == 2 and all(part is None or isinstance(part, dict) for part in state):
        return {key: field for part in state if isinstance(part, dict) for key, field in part.items()}
    if isinstance(state, dict):
        return state
    names = _FIELDS.get(name, _INFO)
    fields = state if isinstance(state, tuple | list) else value.arguments
    return dict(zip(names, fields, strict=False))


def _read(fields: dict[Value, Value], found: Metadata, file: str, faults: Faults) -> None:
    listed, paths, stored = (fields.get(name) for name in ("state_dict_metadata", "planner_data", "storage_data"))
    if not isinstance(listed, dict) or not isinstance(stored, dict):
        text = "not the metadata that torch writes: state_dict_metadata or storage_data is no dict"
        faults.add("LP006", file, "metadata", text)
    for name, value in listed.items() if isinstance(listed, dict) else ():
        entry = _entry(str(name), value, file, faults)
        path = paths.get(name) if isinstance(paths, dict) else None
        entry.path = path if isinstance(path, tuple) else ()
        found.entries[entry.name] = entry
    for key, value in stored.items() if isinstance(stored, dict) else ():
        _place(key.value if isinstance(key, Unhashed) else key, value, found, file, faults)
    for entry in found.entries.values():
        _check(entry, file, faults)


def _entry(name: str, value: Value, file: str, faults: Faults) -> Entry:
    if isinstance(value, Called) and value.name == "BytesStorageMetadata":
        return Entry(name)
    fields = _fields(value, "TensorStorageMetadata")
    properties = _fields(fields["properties"], "TensorProperties")
    entry = Entry(name, dtype_of(properties["dtype"]), whole_numbers(fields["size"]))
    chunks = fields["chunks"]
    pieces = (_piece(chunk) for chunk in chunks) if isinstance(chunks, tuple | list) else ()
    entry.elements = _covered(entry, pieces, file, faults)
    return entry


def _piece(chunk: Value) -> tuple[Shape, Shape]:
    fields = _fields(chunk, "ChunkStorageMetadata")
    return whole_numbers(fields["offsets"]), whole_numbers(fields["sizes"])


def _covered(entry: Entry, pieces: Iterable[tuple[Shape, Shape]], file: str, faults: Faults) -> int:
    """Elements of the pieces, each corner counted once. A piece outside the tensor is a problem."""
    seen: dict[Shape, int] = {}
    shape = entry.shape or ()
    for corner, size in pieces:
        fits = len(corner) == len(size) == len(shape) and all(
            at >= 0 and n >= 0 and at + n <= whole for at, n, whole in zip(corner, size, shape, strict=True)
        )
        if not fits:
            text = f"a piece of {cut(ascii(entry.name))} at {list(corner)} of {list(size)} is not inside {list(shape)}"
            faults.add("LP008", file, "piece", text, tensor=entry.name)
            return 0
        seen[corner] = max(seen.get(corner, 0), prod(size))
    return sum(seen.values())


def _place(key: Value, value: Value, found: Metadata, file: str, faults: Faults) -> None:
    """One piece: which bytes of which file."""
    name = str(key) if isinstance(key, str) else str(_fields(key, "MetadataIndex")["fqn"])
    info = _fields(value, "_StorageInfo")
    path, begin, length = info["relative_path"], info["offset"], info["length"]
    owner = found.entries.get(name)
    if owner is None:
        faults.add(
            "LP008", file, "unlisted", f"data of {cut(ascii(name))}, which the metadata does not list", tensor=name
        )
    if not isinstance(path, str) or why_unsafe(path) is not None:
        text = f"{cut(ascii(name))} lies in {cut(ascii(str(path)[:200]))}: no path inside the folder"
        faults.add("LP110", file, "unsafe-path", text, tensor=name)
        return
    if type(begin) is not int or type(length) is not int or begin < 0 or length < 0:
        faults.add("LP008", file, "range", f"{cut(ascii(name))} lies at no possible place of {path}", tensor=name)
        return
    if owner is not None:
        owner.bytes += length
    found.files[path] = max(found.files.get(path, 0), begin + length)


def _check(entry: Entry, file: str, faults: Faults) -> None:
    """The pieces make up the whole tensor, and some file holds it."""
    if entry.dtype is None or entry.shape is None:
        return
    whole = prod(entry.shape)
    if entry.elements != whole:
        text = f"the pieces of {cut(ascii(entry.name))} hold {entry.elements:,} of its {whole:,} elements"
        faults.add("LP008", file, "piece-absent", text, tensor=entry.name)
    elif whole * SIZES[entry.dtype] and not entry.bytes:
        faults.add(
            "LP008", file, "no-data", f"{cut(ascii(entry.name))} is listed, and no file holds it", tensor=entry.name
        )
