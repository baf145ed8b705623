"""A log of any size, cut down to the lines that can matter. One pass, bounded memory.

Blocks of lines are searched for a few plain words; only where one occurs are single lines looked at. Kept are the
hits with some lines after them, the first `HEAD` and the last `TAIL` of them: the launch and the end of a run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

HEAD, TAIL = 6000, 6000  # lines kept
BLOCK = 1024  # lines searched at once
LONGEST = 200_000  # characters kept of one line
_AFTER = 14  # lines kept after a hit
_AFTER_LONG = 120  # after the first line of a traceback or a table
_LONG = ("Traceback", "LOAD REPORT", "in loading state_dict", "Caused by", "Unable to fuse")
WORDS = (
    "rror", "raceback", "xception", "REPORT", "issing", "ismatch", "nexpected", "not ", "arallel", "weight",
    "tensor", "invalid", "Duplicate", "nknown", "EXPECTED", "MISS", "share memory", "zero3", "eepspeed", "must be",
    "ivisible", "Caused by", "kipp", "skip", "quant", "ersion", "unsupported", "unaligned", "aligned",
)  # fmt: skip
_RARE = ("rror", "raceback", "xception", "REPORT", "MISS", "nexpected", "issing", "not ", "arallel", "ismatch")


def select(lines: Iterable[str]) -> list[str]:
    """The lines that can matter, in order, at most ``HEAD + TAIL``; short inputs come back whole."""
    source = iter(lines)
    head = list(islice(source, HEAD))
    if len(head) < HEAD:
        return [line[:LONGEST] for line in head]
    kept = [line[:LONGEST] for line in head]
    tail: deque[str] = deque(maxlen=TAIL)
    seen: dict[str, int] = {}
    after = 0
    for block in _blocks(source):
        after = _keep(block, tail, seen, after)
    return kept + list(tail)


def _blocks(source: Iterator[str]) -> Iterator[list[str]]:
    while block := list(islice(source, BLOCK)):
        yield block


def _keep(block: list[str], tail: deque[str], seen: dict[str, int], after: int) -> int:
    text = "\n".join(block)
    present = [word for word in _RARE if word in text]
    if not present and not after:
        return 0
    for line in block:
        if any(word in line for word in present):
            after = max(after, _AFTER_LONG if any(word in line for word in _LONG) else _AFTER)
        elif after:
            after -= 1
        else:
            continue
        if _often(line, seen):
            continue
        tail.append(line[:LONGEST])
    return after


def _often(line: str, seen: dict[str, int]) -> bool:
    """Whether the very same line was kept many times already (the table is emptied when it grows large)."""
    if len(seen) > 20_000:
        seen.clear()
    times = seen.get(line, 0) + 1
    seen[line[:400]] = times
    return times > 40
