"""JSON with nothing forgiven silently: duplicate keys are kept, NaN and Infinity marked, faults placed by byte."""

from __future__ import annotations

from collections.abc import Callable
from json.decoder import JSONDecodeError, JSONDecoder
from typing import Any

_LONGEST_INTEGER = 300  # digits; int() of thousands is slow and refused by Python itself


class Flaw(Exception):  # noqa: N818 - it is a finding about the text, not an error of the program
    """The text is no JSON, or none that its user takes.

    `text` continues "the file ...". `offset` counts bytes; `particular` is the message of Python's own parser, if any;
    `error` says line and column of what is no JSON at all.
    """

    def __init__(
        self,
        kind: str,
        text: str,
        offset: int | None = None,
        particular: str = "",
        error: JSONDecodeError | None = None,
    ) -> None:
        super().__init__(text)
        self.kind, self.text, self.offset, self.particular, self.error = kind, text, offset, particular, error


class Pairs(list[tuple[str, Any]]):
    """A JSON object as its members, duplicates included."""

    def twice(self) -> list[str]:
        """Keys given more than once, in order."""
        return _twice(self)

    def constants(self) -> list[str]:
        """NaN and Infinity anywhere below, as written."""
        found: list[str] = []
        waiting: list[Any] = [self]
        while waiting:
            value = waiting.pop()
            if isinstance(value, Pairs):
                waiting += [inner for _, inner in value]
            elif isinstance(value, list):
                waiting += value
            elif isinstance(value, Constant):
                found.append(value.text)
        return found


class Constant(float):
    """NaN, Infinity or -Infinity: Python reads them, JSON does not know them."""

    text: str

    def __new__(cls, text: str) -> Constant:
        made = super().__new__(cls, text)
        made.text = text
        return made


def bounded(text: str) -> int | float:
    """The integer, infinity for one that is too long to be read."""
    return int(text) if len(text) <= _LONGEST_INTEGER else float("inf")


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, for a reader that takes no key twice. Raises `Flaw`."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Flaw("duplicate-key", f"gives the key {_twice(pairs)[0]!r} twice: no tool can know which one counts")
    return found


def no_constant(word: str) -> float:
    """For a reader that takes no NaN. Raises `Flaw`."""
    raise Flaw("constant", f"holds {word}, which is not JSON")


def text_of(raw: bytes) -> str:
    """The text of a file. Raises `Flaw`."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        codec = f"'utf-8' codec can't decode byte 0x{raw[error.start]:02x} in position {error.start}"
        raise Flaw("utf-8", "is not UTF-8", error.start, f"{codec}: {error.reason}") from None


def decode(
    text: str,
    *,
    objects: Callable[[list[tuple[str, Any]]], Any] = Pairs,
    integers: Callable[[str], Any] = bounded,
    constants: Callable[[str], Any] = Constant,
) -> Any:
    """The value of a whole JSON text; what an object, an integer and NaN become is the caller's. Raises `Flaw`."""
    try:
        if text.startswith("\ufeff"):
            raise JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
        return JSONDecoder(object_pairs_hook=objects, parse_int=integers, parse_constant=constants).decode(text)
    except RecursionError as error:
        raise Flaw("nesting", "is nested too deeply", particular=str(error)) from None
    except JSONDecodeError as error:
        reason = f"{error.msg}: line {error.lineno} column {error.colno} (char {error.pos})"
        offset = len(text[: error.pos].encode("utf-8", "surrogatepass"))
        raise Flaw("json", f"is not JSON: {reason}", offset, reason, error) from None
    except ValueError as error:  # an integer of more than 4,300 digits
        raise Flaw("number", "holds a number too long to read", particular=str(error)) from None


def _twice(pairs: list[tuple[str, Any]]) -> list[str]:
    seen: set[str] = set()
    return list(dict.fromkeys(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
