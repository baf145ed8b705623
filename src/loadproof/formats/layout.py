"""Whether the spans of all tensors tile the data of a file: no overlap, no hole, nothing missing, nothing left over."""

from __future__ import annotations

from loadproof.formats.entry import Entry
from loadproof.formats.faults import Faults, cut


def check_layout(entries: dict[str, Entry], file: str, data_begin: int, size: int, faults: Faults) -> None:
    """Compare the spans with each other and with the `size` of the file (bytes)."""
    at, holder = 0, None
    for name, entry in sorted(entries.items(), key=lambda item: item[1].data_offsets):
        begin, end = entry.data_offsets
        if begin < at:
            _add_overlap(faults, file, name, holder, begin, at, data_begin)
        elif begin > at:
            faults.add(
                "LP008",
                file,
                "hole",
                f"{begin - at:,} bytes before {cut(name)} belong to no tensor",
                tensor=name,
                expected=f"begin {at}",
                found=f"begin {begin}",
                offset=data_begin + at,
            )
        if end >= at:
            at, holder = end, name
    _check_end(faults, file, data_begin + at, size, holder)


def _add_overlap(faults: Faults, file: str, name: str, other: str | None, begin: int, at: int, data_begin: int) -> None:
    text = f"{cut(name)} shares {at - begin:,} bytes with {cut(other or '')}"
    faults.add(
        "LP008",
        file,
        "overlap",
        text,
        tensor=name,
        expected=f"begin {at}",
        found=f"begin {begin}",
        offset=data_begin + begin,
    )


def _check_end(faults: Faults, file: str, needed: int, size: int, last: str | None) -> None:
    if needed > size:
        faults.add(
            "LP003",
            file,
            "data-cut",
            f"the file is {needed - size:,} bytes shorter than its header says",
            tensor=last,
            expected=f"{needed} bytes",
            found=f"{size} bytes",
            offset=size,
        )
    elif needed < size:
        faults.add(
            "LP004",
            file,
            "trailing",
            f"{size - needed:,} bytes follow the last tensor",
            expected=f"{needed} bytes",
            found=f"{size} bytes",
            offset=needed,
        )
