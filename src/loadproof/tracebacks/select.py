"""A log of any size, cut down to the lines that can matter. One pass, bounded memory.

Blocks of lines are searched for a few plain words; only lines with one of them, and some lines after each, are kept.
Of these the log's first `HEAD` lines (the launch), the first `EARLY` and the last `TAIL` lines of hits stay.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable
from itertools import accumulate, islice

HEAD, EARLY, TAIL = 3000, 3000, 4000  # lines kept
LONGEST = 200_000  # characters kept of one line ...
_WIDE = 1000  # ... but of no more than this after the first `_WIDE_LINES` lines longer than that
_WIDE_LINES = 100
_BLOCK = 2048  # lines searched at once
_HITS = 48  # hits of one word in a block that are followed up: dense words say little
_AFTER, _AFTER_LONG = 14, 120  # lines kept after a hit; after the first line of a traceback or a table
_OFTEN = 40  # the very same line is kept so many times
_LONG = ("raceback (most", "LOAD REPORT", "in loading state_dict", "Caused by:")
_WORDS = ("rror", "raceback", "xception", "EXPECTED", "MIS", "issing", "not ", "arallel", "aused by", "hared tensor")


def select(lines: Iterable[str]) -> list[str]:
    """The lines that can matter, in order, at most ``HEAD + EARLY + TAIL``; short inputs come back whole."""
    source = iter(lines)
    head = [line[:LONGEST] for line in islice(source, HEAD)]
    early: list[str] = []
    tail: deque[str] = deque(maxlen=TAIL)
    seen: dict[str, int] = {}
    after = 0
    while block := list(islice(source, _BLOCK)):
        kept, after = _keep(block, seen, after)
        room = EARLY - len(early)
        early += kept[:room]
        tail.extend(kept[room:])
    return _narrow([*head, *early, *tail])


def _narrow(lines: list[str]) -> list[str]:
    """Long lists of names stay whole a few times; after that lines are cut, to bound the work on them."""
    wide = 0
    for at, line in enumerate(lines):
        if len(line) > _WIDE:
            wide += 1
            if wide > _WIDE_LINES:
                lines[at] = line[:_WIDE]
    return lines


def _keep(block: list[str], seen: dict[str, int], after: int) -> tuple[list[str], int]:
    """The lines of a block that matter, and how many lines of the next block still belong to them."""
    kept: list[str] = []
    hits = _hits(block)
    wanted = [range(min(after, len(block)))] + [range(at, at + 1 + reach) for at, reach in sorted(hits.items())]
    done = 0
    for lines in wanted:
        fresh = block[max(lines.start, done) : lines.stop]
        kept += [line[:LONGEST] for line in fresh if not _often(line, seen)]
        done = max(done, lines.stop)
    return kept, max(done - len(block), after - len(block), 0)


def _hits(block: list[str]) -> dict[int, int]:
    """Line number in the block -> how many lines after it belong to it."""
    text = "\n".join(block)
    ends: list[int] = []
    hits: dict[int, int] = {}
    for word in _WORDS:
        at = text.find(word)
        for _ in range(_HITS):
            if at < 0:
                break
            ends = ends or [end + line for line, end in enumerate(accumulate(map(len, block)), 1)]
            line = bisect_right(ends, at)
            hits[line] = _AFTER_LONG if any(word in block[line] for word in _LONG) else _AFTER
            at = text.find(word, ends[line])
    return hits


def _often(line: str, seen: dict[str, int]) -> bool:
    """Whether the very same line was kept many times already (the table is emptied when it grows large)."""
    if len(seen) > 20_000:
        seen.clear()
    times = seen[line[:400]] = seen.get(line[:400], 0) + 1
    return times > _OFTEN
