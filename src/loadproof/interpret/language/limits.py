"""How much one evaluation may spend. Every bound ends in `LimitReached` with a text that names it.

The counters live in one `Budget` per evaluation, reached through a context variable, so that the shape-only torch and
the guarded builtins need no reference to the evaluator.
"""

from __future__ import annotations

from contextvars import ContextVar
from time import process_time
from typing import Any

from loadproof.interpret.language.errors import LimitReached

STEPS = 8_000_000  # calls and loop iterations; the hungriest class of the releases tested needs a quarter of it
SECONDS = 20.0  # of CPU time
DEPTH = 220  # nested calls of evaluated functions
WHILE_ITERATIONS = 100_000  # of one loop
ITEMS = 1_000_000  # elements or characters of one list, text, range
TOTAL_ITEMS = 20_000_000  # of all that are built in bulk
INTEGER_BITS = 4_096
LAYERS = 10_000  # children of one container
TENSORS = 5_000_000
SOURCE_BYTES = 4_000_000  # of one file
PATTERN_LENGTH = 20_000  # of a regular expression
_CLOCK_EVERY = 2_048


class Budget:
    """Counters of one evaluation, and the source line being evaluated."""

    __slots__ = ("deadline", "depth", "file", "items", "line", "steps", "tensors")

    def __init__(self) -> None:
        self.steps = self.depth = self.items = self.tensors = self.line = 0
        self.file = ""
        self.deadline = process_time() + SECONDS

    def step(self) -> None:
        """Count one call or iteration."""
        self.steps += 1
        if not self.steps % _CLOCK_EVERY:
            self._check()

    def _check(self) -> None:
        if self.steps > STEPS:
            raise LimitReached(f"more than {STEPS:,} evaluation steps{self._place()}")
        if process_time() > self.deadline:
            raise LimitReached(f"more than {SECONDS:.0f} CPU seconds of evaluation{self._place()}")

    def charge(self, count: int, what: str) -> None:
        """Count elements before they are allocated."""
        if count > ITEMS:
            raise LimitReached(f"{what} of {count:,} elements (limit {ITEMS:,}){self._place()}")
        self.items += count
        if self.items > TOTAL_ITEMS:
            raise LimitReached(f"more than {TOTAL_ITEMS:,} elements in all{self._place()}")

    def charge_tensor(self) -> None:
        self.tensors += 1
        if self.tensors > TENSORS:
            raise LimitReached(f"more than {TENSORS:,} tensors{self._place()}")

    def enter(self) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            raise LimitReached(f"calls nested deeper than {DEPTH}{self._place()}")

    @property
    def place(self) -> tuple[str, int]:
        """File and line being evaluated."""
        return self.file, self.line

    def _place(self) -> str:
        return f" at {self.file}:{self.line}" if self.file and self.line else ""


_CURRENT: ContextVar[Budget] = ContextVar("loadproof_budget")


def start() -> Budget:
    """Begin a new evaluation in this context."""
    budget = Budget()
    _CURRENT.set(budget)
    return budget


def current() -> Budget:
    try:
        return _CURRENT.get()
    except LookupError:
        return start()


def checked_integer(value: Any) -> Any:
    """`value`, unless it is an integer too long to be anything but an attack."""
    if isinstance(value, int) and value.bit_length() > INTEGER_BITS:
        raise LimitReached(f"integer of more than {INTEGER_BITS} bits")
    return value


def checked_layers(count: int) -> None:
    if count > LAYERS:
        raise LimitReached(f"{count:,} modules in one container (limit {LAYERS:,}){current()._place()}")
