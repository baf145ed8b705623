"""How the config stage words a fault."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from loadproof.core.checkpoint import Problem
from loadproof.core.severity import Severity

INVALID = "LP013"  # config-invalid: not one JSON object
VALUE = "LP014"  # config-value: a value that no model can be built from
PATTERN = "LP015"  # unsafe-pattern: a regular expression that may never end
HOSTILE_NAME = "LP011"
CODE = "LP012"
UNSAFE_PATH = "LP110"
DANGLING = "LP114"
KEPT = 10  # problems of one kind in one file
Kind = tuple[str, str, str, str, bool]  # code, file, detail, severity, whether it says more than that


class Few:
    """Problems in the order in which they were found; of one kind only the first are kept, the rest is counted."""

    def __init__(self) -> None:
        self._kept: dict[Kind, list[Problem]] = {}
        self._counts: dict[Kind, int] = {}
        self._order: list[Kind] = []

    def add(self, problem: Problem) -> None:
        kind = (problem.code, problem.file, problem.detail, problem.severity, bool(problem.particular))
        self._counts[kind] = self._counts.get(kind, 0) + 1
        if self._counts[kind] <= KEPT:
            self._kept.setdefault(kind, []).append(problem)
            self._order.append(kind)

    def result(self) -> list[Problem]:
        """The problems; the last one kept of a kind says how many more there are."""
        found = {kind: list(kept) for kind, kept in self._kept.items()}
        for kind, kept in found.items():
            if (more := self._counts[kind] - KEPT) > 0:
                kept[-1] = replace(kept[-1], text=f"{kept[-1].text} (and {more:,} more like it)")
        waiting = {kind: iter(kept) for kind, kept in found.items()}
        return [next(waiting[kind]) for kind in self._order]


def few(problems: Iterable[Problem]) -> list[Problem]:
    """`problems`, shortened: a config of 16 MB may hold a million faults, and each costs a search for its line."""
    kept = Few()
    for problem in problems:
        kept.add(problem)
    return kept.result()


def fault(
    code: str,
    file: str,
    detail: str,
    text: str,
    *,
    severity: Severity = "error",
    particular: str = "",
    found: Any = None,
    expected: str | None = None,
) -> Problem:
    """A problem of a JSON file; `found` is shown shortened."""
    shown = None if found is None else shorten(found)
    return Problem(code, file, text, None, expected, shown, None, severity, detail, particular)


_QUOTES = frozenset(
    {"duplicate-key", "constant", "value-type", "json", "length"}
)  # details that repeat what stands there


def withheld(problem: Problem) -> Problem:
    """A problem of a file behind a link that leaves the folder: a link must not make a report quote any file."""
    if problem.detail not in _QUOTES:
        return problem
    text = f"{problem.file} is a link out of the folder and faulty ({problem.detail}); its text is not shown"
    return replace(problem, text=text, found=None, tensor=None, expected=None)


def shorten(value: Any, limit: int = 60) -> str:
    """A value as JSON-like text of at most `limit` characters; big containers are only named."""
    if isinstance(value, (dict, list)):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value):,}"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int) and value.bit_length() > 200:
        return f"an integer of about {value.bit_length() * 3 // 10:,} digits"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
