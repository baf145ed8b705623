"""JSON with nothing forgiven silently: duplicate keys are kept, NaN and Infinity marked, faults placed by byte."""

from __future__ import annotations

from json.decoder import JSONDecodeError, JSONDecoder
from typing import Any

_LONGEST_INTEGER = 300  # digits; int() of thousands is slow and refused by Python itself


class Flaw(Exception):  # noqa: N818 - it is a finding about the text, not an error of the program
    """The text is no JSON. `offset` counts bytes; `breaks` is the exception of Python's own json."""

    def __init__(self, kind: str, text: str, offset: int | None, breaks: str) -> None:
        super().__init__(text)
        self.kind, self.text, self.offset, self.breaks = kind, text, offset, breaks


class Pairs(list[tuple[str, Any]]):
    """A JSON object as its members, duplicates included."""

    def twice(self) -> list[str]:
        """Keys given more than once, in order."""
        seen: set[str] = set()
        return list(dict.fromkeys(key for key, _ in self if key in seen or seen.add(key)))  # type: ignore[func-returns-value]

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


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= _LONGEST_INTEGER else float("inf")


_DECODER = JSONDecoder(object_pairs_hook=Pairs, parse_int=_integer, parse_constant=Constant)


def parse(raw: bytes) -> Any:
    """The value of a whole JSON text, objects as `Pairs`. Raises `Flaw`."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        breaks = (
            f"UnicodeDecodeError: 'utf-8' codec can't decode byte 0x{raw[error.start]:02x} in position {error.start}"
        )
        raise Flaw("utf-8", "is not UTF-8", error.start, f"{breaks}: {error.reason}") from None
    try:
        return _DECODER.decode(text)
    except RecursionError:
        breaks = "RecursionError: maximum recursion depth exceeded while decoding a JSON array from a unicode string"
        raise Flaw("nesting", "is nested too deeply", None, breaks) from None
    except JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        reason = f"{error.msg}: line {error.lineno} column {error.colno} (char {error.pos})"
        raise Flaw("json", f"is not JSON: {reason}", offset, f"JSONDecodeError: {reason}") from None
