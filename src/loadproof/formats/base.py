"""What a file format is: bytes in, facts out.

A format is a module with the two functions of `Format`, and its line in the table of `lexicon/formats.py`. It records
what is in a file and what is wrong with it; what a loading library says to that is the reader's business.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Protocol

from msgspec import Struct

from loadproof.core.checkpoint import Problem
from loadproof.core.families import group_by_mask
from loadproof.core.tensors import StoredValue, TensorRecord
from loadproof.storage.base import Ranged

Groups = Mapping[tuple[Any, ...], list[str]]  # (mask, dtype, shape, bytes) -> names, see `core.families.group_by_mask`
Locate = Callable[[Collection[str]], Iterator[TensorRecord]]


def _nowhere(_: Collection[str]) -> Iterator[TensorRecord]:
    return iter(())


class TensorFile(Struct, gc=False):
    """What one file says. Made by `of_records`, or directly where a file holds too many tensors for one record each."""

    names: tuple[str, ...] | None = None  # of all tensors; None where the file cannot be read to the end
    groups: Groups = {}  # the names of those tensors that make sense
    locate: Locate = _nowhere  # the records of these names, of those that the file holds
    metadata: dict[str, str] = {}
    bytes: int = 0  # of all tensors together
    data_begin: int = (
        0  # where nothing but data follows: a look at it may tell that it was never written; 0: no such place
    )
    problems: tuple[Problem, ...] = ()
    shared: int = 0  # of `bytes`, those that tensors have in common with others
    values: tuple[StoredValue, ...] = ()  # what is no dense tensor; `groups` hold the names of these, too


class Format(Protocol):
    """A format, as its module."""

    def sniff(self, head: bytes) -> bool:
        """Whether a file that begins so (`sniff.HEAD` bytes, or all of it) is one of this format."""
        ...

    def read(self, opened: Ranged, file: str, head: bytes) -> TensorFile:
        """The tensors of the open file called `file`, of which `head` was read already.

        Bad content is a `Problem`, never an exception; only `UnreadableError` of the storage passes through.
        """
        ...


def of_records(
    records: Iterable[TensorRecord],
    problems: tuple[Problem, ...] = (),
    metadata: dict[str, str] | None = None,
    is_whole: bool = True,
) -> TensorFile:
    """A file whose tensors are these; of records with one name the last counts. `is_whole`: there are no others."""
    held = {record.name: record for record in records}
    sizes = {name: size_of(record) for name, record in held.items()}

    def locate(names: Collection[str]) -> Iterator[TensorRecord]:
        return (held[name] for name in names if name in held)

    values = held.values()
    groups = group_by_mask(
        tuple(held), [one.dtype for one in values], [one.shape for one in values], list(sizes.values())
    )
    return TensorFile(
        tuple(held) if is_whole else None, groups, locate, metadata or {}, sum(sizes.values()), 0, problems
    )


def size_of(record: TensorRecord) -> int:
    """Bytes that a tensor's elements take, however they are laid out."""
    if record.parts:
        return sum(part.end - part.begin for part in record.parts)
    if record.strides is None:
        return record.end - record.begin
    from loadproof.formats.payload import dense_size

    return dense_size(record)
