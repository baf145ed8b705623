"""The machine: a stack, marks, a memo, the bytes still to come, and what was met on the way that no plain state dict holds."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import NoReturn

from msgspec import Struct

from loadproof.formats.pickled.values import Called, Global, Value

MAX_MEMO = (1 << 24) - 1  # the largest index; CPython would make an array as long
MAX_TEXT = 1 << 26  # bytes of one string
MAX_LINE = 65_536  # bytes of an argument that ends with a newline
MAX_MARKS = 1_000

Maker = Callable[[tuple[Value, ...]], Value]


class PickleError(Exception):
    """The stream is no well-formed pickle, or exceeds a limit. `offset` is in bytes from the start of the data."""

    def __init__(self, offset: int, text: str) -> None:
        super().__init__(text)
        self.offset = offset


class LimitError(PickleError):
    """The pickle may be well-formed; to read on would take more time or memory than any checkpoint needs."""


class Known(Struct, frozen=True):
    """What a kind of file may name. Without it every global stays a name and every call an inert `Called`."""

    makers: Mapping[tuple[str, str], Maker] = {}  # (module, name) -> a function of ours
    persistent: Callable[[Value], Value] | None = None  # what stands for a persistent id
    plain: frozenset[str] = frozenset()  # the names that a strict unpickler of this kind of file takes
    entry: Callable[[Machine], bool] | None = None  # tried at every text: a short cut past several opcodes


class Beyond(Struct, frozen=True):
    """The first thing that a strict unpickler refuses: an ``opcode``, a ``global``, ``items`` or ``state``."""

    offset: int
    kind: str
    word: str


class Machine:
    """One pickle being read; `run` drives it."""

    def __init__(self, data: bytes, begin: int = 0, known: Known | None = None) -> None:
        self.data, self.pos, self.end = data, begin, len(data)
        self.known = known or Known()
        self.stack: list[Value] = []
        self.marks: list[list[Value]] = []
        self.memo: dict[int, Value] = {}
        self.globals: dict[tuple[str, str], Global] = {}
        self.calls: dict[str, int] = {}  # functions called that have no maker -> offset
        self.objects: dict[str, int] = {}  # classes of objects made without a maker -> offset
        self.beyond: Beyond | None = None
        self.protocol = 0
        self.left_over = 0  # values below the result: legal, and written by nobody
        self.done = False

    def fail(self, text: str) -> NoReturn:
        """Give up at the opcode that is being carried out."""
        raise PickleError(self.pos - 1, text)

    def stop_at_limit(self, text: str) -> NoReturn:
        """Give up, since no healthy file asks for so much."""
        raise LimitError(self.pos - 1, text)

    def note_beyond(self, kind: str, word: str) -> None:
        """Keep the first thing that a strict unpickler refuses."""
        if self.beyond is None:
            self.beyond = Beyond(self.pos - 1, kind, word)

    def take(self, length: int) -> bytes:
        """The next bytes."""
        if length < 0 or length > MAX_TEXT or self.pos + length > self.end:
            self.fail(f"a length of {length:,} bytes where {self.end - self.pos:,} remain")
        self.pos += length
        return self.data[self.pos - length : self.pos]

    def number(self, code: str, length: int) -> int:
        """The next number, as `struct` reads it."""
        found: int = struct.unpack(code, self.take(length))[0]
        return found

    def line(self) -> bytes:
        """The bytes up to the next newline."""
        stop = self.data.find(b"\n", self.pos, self.pos + MAX_LINE)
        if stop < 0:
            self.fail("an argument without an end")
        text, self.pos = self.data[self.pos : stop], stop + 1
        return text

    def put(self, index: int) -> None:
        """Keep the topmost value in the memo."""
        if not 0 <= index <= MAX_MEMO:
            self.stop_at_limit(f"memo index {index:,}")
        self.memo[index] = self.stack[-1]

    def mark(self) -> None:
        """Begin a group of values."""
        if len(self.marks) >= MAX_MARKS:
            self.stop_at_limit(f"more than {MAX_MARKS:,} open groups")
        self.marks.append(self.stack)
        self.stack = []

    def group(self) -> list[Value]:
        """End the group of values and take it. It exchanges `stack`: ask for that one afterwards."""
        if not self.marks:
            self.fail("the end of a group that did not begin")
        items, self.stack = self.stack, self.marks.pop()
        return items

    def call(self, function: Value, arguments: Value, *, is_new: bool = False) -> Value:
        """What one of our makers gives, or the call as an inert value. `is_new`: an object of a class is made."""
        if not isinstance(arguments, tuple):
            self.fail("a call whose arguments are no tuple")
        if not isinstance(function, Global):
            self.calls.setdefault("the result of another call", self.pos - 1)
            return Called(function, arguments)
        maker = self.known.makers.get((function.module, function.name))
        if maker is None:
            (self.objects if is_new else self.calls).setdefault(str(function), self.pos - 1)
            return Called(function, arguments)
        try:
            return maker(arguments)
        except (LookupError, ValueError, TypeError, AttributeError) as error:
            self.fail(f"{function} with arguments that it does not take ({error})")
