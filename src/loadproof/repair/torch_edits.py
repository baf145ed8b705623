"""The tensors of torch files as safetensors: every one by itself, so that what files share is stored for each name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

from loadproof.core.edits import SaveAsSafetensors
from loadproof.formats.entry import BITS
from loadproof.formats.faults import Faults
from loadproof.formats.torch.dtypes import SIZES, safetensors_name
from loadproof.formats.torch.read import read_torch
from loadproof.formats.torch.table import Stored, TorchFile
from loadproof.formats.torch.views import is_contiguous, name_of
from loadproof.repair.draft import Draft, Entry, RefusedError, Shard
from loadproof.repair.sources import Columns, Inflated, Slice, Source, Strided, Transposed
from loadproof.storage import UnreadableError, open_folder

MOST_RUNS = 5_000_000  # pieces of which one tensor is gathered
_HARMLESS = frozenset(("LP004", "LP020", "LP021"))  # faults that leave the bytes of the tensors alone


def save_as_safetensors(draft: Draft, edit: SaveAsSafetensors) -> None:
    """Raises RefusedError where a tensor has no bytes of its own, or none that safetensors can hold."""
    if all(target in draft.shards and draft.shards[target].header is None for _, target in edit.pairs):
        return  # an edit before this one of the same plan has done it
    for file, target in edit.pairs:
        if target in draft.shards or any(info.path == target for info in draft.inventory.files):
            raise RefusedError(f"{target} is there already", "set it aside first", target)
        shard = draft.shards[target] = Shard(target, None)
        shard.metadata = {"format": "pt"}
        draft.forget_places()
        for name, entry in _entries(draft, file, edit.key):
            draft.add(shard, name, entry)
        shard.metadata.update(_ties(shard))
        if not shard.entries:
            raise RefusedError(f"{file} holds no tensor to save", file=file)
    if edit.index:
        draft.rebuilt[edit.index] = tuple(target for _, target in edit.pairs)


def _entries(draft: Draft, file: str, key: str) -> Iterator[tuple[str, Entry]]:
    found = _read(draft, file)
    for stored in found.stored:
        path = stored.path
        if key and path[:1] == (key,):
            path = path[1:]
        elif key or not path or not isinstance(path[0], str):
            continue
        if not path or (len(path) > 1 and not key):
            continue
        name = name_of(path)
        yield name, Entry(safetensors_name(stored.tensor.dtype), stored.tensor.shape, _source(stored, file, name), None)


def _read(draft: Draft, file: str) -> TorchFile:
    faults = Faults()
    try:
        with open_folder(draft.root) as folder, folder.open(file) as opened:
            found = read_torch(opened, file, faults)
    except UnreadableError as error:
        raise RefusedError(f"{file} {error.reason}", file=file) from None
    wrong = next((p for p in faults.result() if p.severity == "error" and p.code not in _HARMLESS), None)
    if wrong is not None or not found.is_read:
        reason = wrong.text if wrong is not None else "it cannot be read"
        raise RefusedError(f"{file}: {reason}", "get the file again from where it came from", file)
    return found


def _source(stored: Stored, file: str, name: str) -> Source:
    """Where the elements lie, in the order of the shape."""
    tensor = stored.tensor
    if tensor.kind != "strided" or tensor.has_flags or tensor.storage is None or stored.begin < 0:
        raise RefusedError(f"{file}: {name} is no dense tensor with bytes of its own", file=file)
    if BITS.get(safetensors_name(tensor.dtype), 0) % 8 or safetensors_name(tensor.dtype) not in BITS:
        raise RefusedError(f"{file}: safetensors has no type for {name} ({tensor.dtype})", file=file)
    width = SIZES[tensor.dtype]
    whole = _whole(stored, file, tensor.storage.bytes)
    begin = tensor.offset * width
    if is_contiguous(tensor):
        end = begin + prod(tensor.shape) * width
        if isinstance(whole, Slice):
            return Slice(file, whole.begin + begin, whole.begin + end)
        return whole if (begin, end) == (0, whole.size) else Columns(whole, 1, begin, end)
    return _gathered(stored, whole, begin, width)


def _whole(stored: Stored, file: str, size: int) -> Slice | Inflated:
    if stored.is_packed:
        return Inflated(file, stored.begin, stored.end, size)
    return Slice(file, stored.begin, stored.end)


def _gathered(stored: Stored, whole: Slice | Inflated, begin: int, width: int) -> Source:
    """A matrix that was transposed is turned in blocks; any other layout is gathered run by run."""
    shape, strides = stored.tensor.shape, stored.tensor.stride
    if len(shape) == 2 and strides == (1, shape[0]) and isinstance(whole, Slice):
        block = Slice(whole.file, whole.begin + begin, whole.begin + begin + prod(shape) * width)
        return Transposed(block, (shape[1], shape[0]), (0, 1), width)
    if prod(shape) > MOST_RUNS:
        name = name_of(stored.path)
        raise RefusedError(f"{whole.file}: the elements of {name} are too scattered to be gathered one by one")
    return Strided(whole, begin, shape, strides, width)


def _ties(shard: Shard) -> dict[str, str]:
    """Names that showed the same bytes: each further one with the first."""
    first: dict[Source, str] = {}
    found: dict[str, str] = {}
    for name, entry in shard.entries.items():
        known = first.setdefault(entry.source, name)
        if known != name and shard.entries[known].shape == entry.shape:
            found[name] = known
    return found


HANDLERS: dict[type, Callable[[Draft, Any], None]] = {SaveAsSafetensors: save_as_safetensors}
