"""No regular expression of the code base takes more than linear time: ten times the line, ten times the time.

Each pattern is run on repetitive lines made of its own parts. Time is measured only where a short line is already slow,
as the best of several runs, so that a busy machine makes nothing fail.
"""

from __future__ import annotations

import re

from tests.pattern_lines import Use, lines, seconds, uses

SHORT, LONG = 1_000, 10_000
SLOW = 0.002  # seconds on a short line from which a long one is tried too
GROWTH = 2 * LONG / SHORT
CAP = 0.6  # seconds on a long line, whatever the growth


def test_every_pattern_takes_linear_time() -> None:
    everything = uses()
    assert len(everything) > 600
    assert [said for use in everything for said in [complaint(use)] if said] == []


def test_patterns_that_explode_are_found_out() -> None:
    for text in (r"^\s*[|]\s?(.*?)\s*[|]?\s*$", r"\w+x", r"\((?:\d+,? ?)*\)"):
        assert complaint(Use("made up", re.compile(text), anchored=False)), text


def complaint(use: Use) -> str:
    """What is wrong with a pattern, "" when it is linear."""
    for short, long in dict.fromkeys(zip(lines(use.pattern, SHORT), lines(use.pattern, LONG), strict=True)):
        if _best(use, short, 1) < SLOW or (begin := _best(use, short, 3)) < SLOW:
            continue
        end = _best(use, long, 2) if begin < CAP else CAP
        if end > begin * GROWTH or end >= CAP:
            return f"{use.where}: {begin:.4f} s -> {end:.4f} s on {short[:40]!r}: {use.pattern.pattern[:120]}"
    return ""


def _best(use: Use, line: str, times: int) -> float:
    return min(seconds(lambda: use.run(line)) for _ in range(times))
