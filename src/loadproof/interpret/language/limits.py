"""How much one evaluation may spend. Every bound ends in `LimitReached` with a text that names it.

The counters live in one `Budget` per evaluation, reached through a context variable, so that the shape-only torch and
the guarded builtins need no reference to the evaluator.
"""

from __future__ import annotations

from contextvars import ContextVar
from time import process_time
from typing import Any, NoReturn

from loadproof.core.device import Device
from loadproof.interpret.language.errors import LimitReached

STEPS = 8_000_000  # calls and loop iterations; the hungriest class of the releases tested needs a quarter of it
SECONDS = 20.0  # of CPU time
DEPTH = 220  # nested calls of evaluated functions
WHILE_ITERATIONS = 100_000  # of one loop
ITEMS = 1_000_000  # elements or characters of one list, text, range
TOTAL_ITEMS = 20_000_000  # of all that are built in bulk
INTEGER_BITS = 4_096
ANCESTORS = 200  # of one class; the time to make a class grows with their square
CLASSES = 20_000
NESTING = 200  # modules inside of modules; one that contains itself has no end
LAYERS = 10_000  # children of one container
TENSORS = 5_000_000
SOURCE_BYTES = 4_000_000  # of one file
PATTERN_LENGTH = 20_000  # of a regular expression
_CLOCK_EVERY = 2_048


class Budget:
    """Counters of one evaluation, and the source line being evaluated."""

    __slots__ = (
        *("check_at", "classes", "deadline", "depth", "file", "items", "line", "raised", "raised_at", "spent", "steps"),
        *("tensors", "on_cpu", "on_meta", "device", "asks_device", "dtype"),
    )

    def __init__(self) -> None:
        self.steps = self.depth = self.items = self.tensors = self.classes = self.line = 0
        self.check_at = _CLOCK_EVERY
        self.file = ""
        self.on_meta = False  # whether the release builds every tensor on the meta device while it loads
        self.device = Device()  # the machine that the code sees
        self.asks_device = False  # whether the code has asked what the machine is
        self.dtype: Any = None  # of the model: what a tensor without a dtype of its own has; None: float32
        self.on_cpu = False  # whether tensors lie on the CPU, as those of a model that is loaded
        self.raised: BaseException | None = None  # the last exception that left a function, and where it came from
        self.raised_at = ("", 0)
        self.spent = ""  # the total that is used up
        self.deadline = process_time() + SECONDS

    def step(self) -> None:
        """Count one call or iteration."""
        self.steps += 1
        if self.steps >= self.check_at:
            self._check()

    def _check(self) -> None:
        self.settle()
        self.check_at = self.steps + _CLOCK_EVERY
        if self.steps > STEPS:
            self._end(f"more than {STEPS:,} evaluation steps")
        if process_time() > self.deadline:
            self._end(f"more than {SECONDS:.0f} CPU seconds of evaluation")

    def _end(self, what: str) -> NoReturn:
        """From now on every step fails: an exception alone may get lost, as in a class attribute or a `__set_name__`."""
        self.spent, self.check_at = f"{what}{self._place()}", 0
        raise LimitReached(self.spent)

    def settle(self) -> None:
        """Raise LimitReached when a total was used up, whatever became of the exception that said so."""
        if self.spent:
            raise LimitReached(self.spent)

    def charge(self, count: int, what: str) -> None:
        """Count elements before they are allocated."""
        if count > ITEMS:
            raise LimitReached(f"{what} of {count:,} elements (limit {ITEMS:,}){self._place()}")
        self.items += count
        if self.items > TOTAL_ITEMS:
            self._end(f"more than {TOTAL_ITEMS:,} elements in all")

    def charge_tensor(self) -> None:
        self.tensors += 1
        if self.tensors > TENSORS:
            self._end(f"more than {TENSORS:,} tensors")

    def charge_class(self, bases: tuple[type, ...]) -> None:
        """Count a class before it is made."""
        self.classes += 1
        if self.classes > CLASSES:
            self._end(f"more than {CLASSES:,} classes")
        if sum(len(base.__mro__) for base in bases) > ANCESTORS:
            raise LimitReached(f"a class of more than {ANCESTORS} ancestors{self._place()}")

    def enter(self) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            raise LimitReached(f"calls nested deeper than {DEPTH}{self._place()}")

    def note(self, problem: BaseException) -> None:
        """Remember where an exception came from: called by every function that it leaves, the innermost first."""
        if self.raised is not problem:
            self.raised, self.raised_at = problem, self.place

    def origin(self, problem: BaseException) -> str:
        """``file:line`` of the source that raised it, empty when that is not known."""
        file, line = self.raised_at if self.raised is problem else self.place
        return f"{file}:{line}" if file and line else ""

    def asked_device(self) -> Device:
        """The machine, which from now on is known to matter."""
        self.asks_device = True
        return self.device

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


def checked_nesting(depth: int) -> None:
    if depth > NESTING:
        raise LimitReached(f"modules nested deeper than {NESTING}")
