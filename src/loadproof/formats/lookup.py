"""Single tensors on demand: where they lie, and their bytes."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from loadproof.core.tensors import TensorRecord
from loadproof.formats.base import size_of
from loadproof.formats.payload import read_range
from loadproof.formats.registry import read_tensors
from loadproof.storage import Storage, UnreadableError


def find_tensors(storage: Storage, files: Iterable[str], names: Collection[str]) -> dict[str, TensorRecord]:
    """Records of the named tensors in these files; the last file that holds a name wins.

    Names that are not found, and files that cannot be read, are left out.
    """
    wanted = set(names)
    found: dict[str, TensorRecord] = {}
    for file in files:
        try:
            with storage.open(file) as opened:
                held = read_tensors(opened, file)
        except UnreadableError:
            continue
        if held is not None:
            found.update((record.name, record) for record in held.locate(wanted))
    return found


def read_payload(storage: Storage, record: TensorRecord, begin: int = 0, length: int | None = None) -> bytes:
    """Bytes of one tensor, from `begin` (relative to the tensor) on; fewer where the file ends.

    Raises `loadproof.storage.UnreadableError` when the file cannot be opened or read, ValueError on a negative range.
    """
    whole = size_of(record)
    length = whole - begin if length is None else min(length, whole - begin)
    if begin < 0 or length < 0:
        raise ValueError(f"no such range in {record.name}: {begin}, {length}")
    return read_range(storage, record, begin, length)
