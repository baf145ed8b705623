"""The header of one safetensors file: a fast typed decode, and an exact diagnosis when anything is out of the ordinary.

Layout: u64 little-endian header length n, n bytes of JSON, data. What is legal is stricter here than in the official
library, which takes duplicate keys, unknown fields and surplus white space (measured with safetensors 0.8).
"""

from __future__ import annotations

from msgspec import Struct

from loadproof.core.checkpoint import Problem
from loadproof.formats import sniff
from loadproof.formats.base import Groups
from loadproof.formats.entry import LARGEST_HEADER, PREFIX, Entry
from loadproof.formats.faults import Faults
from loadproof.formats.header_fast import decode, group
from loadproof.storage.base import Ranged


class Header(Struct, gc=False):
    """What one file's header says. `entries` holds only tensors whose own entry makes sense, `names` all of them."""

    names: tuple[str, ...] | None = None  # None where the header cannot be read
    entries: dict[str, Entry] = {}
    groups: Groups = {}  # the names of `entries`
    metadata: dict[str, str] = {}
    data_begin: int = 0  # byte offset of the data in the file
    bytes: int = 0  # of all entries together
    problems: tuple[Problem, ...] = ()


def read_header(opened: Ranged, file: str, head: bytes = b"") -> Header:
    """The header of an open file; faults become problems. `head` is the file's start where it was read already."""
    head = head or opened.read(0, sniff.HEAD)
    length = int.from_bytes(head[:PREFIX], "little")
    if impossible := _impossible(file, head, length, opened.size):
        return Header(problems=impossible)
    raw = head[PREFIX : PREFIX + length] if PREFIX + length <= len(head) else opened.read(PREFIX, length)
    begin = PREFIX + length
    if len(raw) < length:
        return Header(problems=(_cut_while_read(file, length, len(raw)),))
    if plain := decode(raw, opened.size - begin):
        entries, groups, metadata = plain
        notes = _notes(file, length, metadata)
        return Header(tuple(entries), entries, groups, metadata, begin, opened.size - begin, notes)
    from loadproof.formats.header_exact import diagnose  # rarely needed, and it takes its time to import

    found = diagnose(raw, file, opened.size)
    groups = group(found.entries)
    held = sum(entry.data_offsets[1] - entry.data_offsets[0] for entry in found.entries.values())
    problems = found.problems + _notes(file, length, found.metadata)
    return Header(found.names, found.entries, groups, found.metadata, begin, held, problems)


def _impossible(file: str, head: bytes, length: int, size: int) -> tuple[Problem, ...]:
    """Files without a header that could be read."""
    faults = Faults()
    if size < PREFIX:
        text = "the file is empty" if size == 0 else f"the file has {size} bytes, too short for a header length"
        faults.add(
            "LP003",
            file,
            "too-short",
            text,
            expected="at least 10 bytes",
            found=f"{size} bytes",
            offset=0,
        )
    elif not head.strip(b"\0"):
        faults.add(
            "LP005",
            file,
            "zeros",
            f"the file begins with {len(head)} zero bytes",
            offset=0,
        )
    elif not sniff.is_safetensors_start(head) and _is_impostor(head, length, size):
        _add_impostor(faults, file, head, length, size)
    elif length > LARGEST_HEADER:
        faults.add(
            "LP006",
            file,
            "length",
            f"the header length is {length:,} bytes, over the limit of 100,000,000",
            expected="at most 100000000",
            found=str(length),
            offset=0,
            particular="over-limit",
        )
    elif length < 2:
        faults.add(
            "LP006",
            file,
            "length",
            f"the header length is {length}",
            offset=0,
            particular="below-two",
        )
    elif PREFIX + length > size:
        faults.add(
            "LP003",
            file,
            "header-cut",
            f"the header is {length:,} bytes long but the file ends after {size - PREFIX:,} of them",
            expected=f"{PREFIX + length} bytes",
            found=f"{size} bytes",
            offset=size,
        )
    return faults.result()


def _is_impostor(head: bytes, length: int, size: int) -> bool:
    """Not even the header length is believable, and the bytes look like something else."""
    recognised = sniff.describe(head) != "of no known format"
    return recognised and (length > LARGEST_HEADER or PREFIX + length > size)


def _add_impostor(faults: Faults, file: str, head: bytes, length: int, size: int) -> None:
    particular = "over-limit" if length > LARGEST_HEADER else "beyond-end"
    if sniff.kind_of(head, size) == "lfs-pointer":
        real = sniff.lfs_size(head)
        text = "a Git LFS pointer lies in place of the weights" + (f" ({real:,} bytes)" if real else "")
        faults.add(
            "LP001",
            file,
            "lfs-pointer",
            text,
            offset=0,
            expected=f"{real} bytes" if real else None,
            found=f"{size} bytes",
            particular=particular,
        )
    else:
        faults.add(
            "LP002",
            file,
            "impostor",
            f"the file is {sniff.describe(head)}, not a safetensors file",
            offset=0,
            expected="safetensors",
            found=sniff.describe(head),
            particular=particular,
        )


def _cut_while_read(file: str, length: int, got: int) -> Problem:
    return Problem(
        "LP003",
        file,
        f"the file shrank while its header was read ({got:,} of {length:,} bytes)",
        detail="changed",
        particular="beyond-end",
    )


def _notes(file: str, length: int, metadata: dict[str, str]) -> tuple[Problem, ...]:
    """Legal but remarkable."""
    faults = Faults()
    if length % 8:
        faults.add(
            "LP006",
            file,
            "unaligned",
            f"the header is {length:,} bytes long, not a multiple of 8: the data is not aligned",
            severity="warning",
            offset=0,
        )
    if metadata and "format" not in metadata:
        faults.add(
            "LP010",
            file,
            "no-format",
            "__metadata__ has no `format`; transformers before 5.0 refuses the file",
            severity="warning",
            offset=PREFIX,
        )
    return faults.result()
