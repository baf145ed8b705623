"""safetensors as one format of several."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from loadproof.core.tensors import TensorRecord
from loadproof.formats.base import TensorFile
from loadproof.formats.header import Header, read_header
from loadproof.formats.sniff import is_safetensors_start as sniff
from loadproof.storage.base import Ranged


def read(opened: Ranged, file: str, head: bytes) -> TensorFile:
    """What the header says; the data is not read."""
    header = read_header(opened, file, head)
    return TensorFile(
        header.names,
        header.groups,
        lambda names: _records(header, file, names),
        header.metadata,
        header.bytes,
        header.data_begin,
        header.problems,
    )


def _records(header: Header, file: str, names: Collection[str]) -> Iterator[TensorRecord]:
    for name in header.entries.keys() & names:
        entry = header.entries[name]
        begin, end = (header.data_begin + offset for offset in entry.data_offsets)
        yield TensorRecord(name, entry.dtype, entry.shape, file, begin, end)


__all__ = ["read", "sniff"]
