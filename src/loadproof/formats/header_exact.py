"""The exact path: read a header member by member and say of everything that is wrong where and what it is."""

from __future__ import annotations

import json.decoder
import re
from collections.abc import Callable, Iterator
from json.decoder import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

from loadproof.core.checkpoint import Problem
from loadproof.formats.entry import Entry
from loadproof.formats.entry_exact import OddNumber, check_entry
from loadproof.formats.faults import OFFICIAL, Faults, cut
from loadproof.formats.json_strict import Pairs
from loadproof.formats.layout import check_layout

_scan_string: Callable[[str, int, bool], tuple[str, int]] = json.decoder.scanstring  # type: ignore[attr-defined]
_PREFIX = 8
_SPACE = re.compile(r"[ \t\n\r]*")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_JSON = OFFICIAL + "invalid JSON in header"


class Member(NamedTuple):
    """One top-level member of the header; `at` is the character position of its name."""

    name: str
    value: Any
    at: int


def _integer(text: str) -> int | OddNumber:
    return int(text) if text[0] != "-" and len(text) <= 20 else OddNumber(text)


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


_DECODER = JSONDecoder(
    object_pairs_hook=Pairs, parse_int=_integer, parse_float=OddNumber, parse_constant=_refuse_constant
)


class Diagnosis(NamedTuple):
    """What a header says, and what is wrong with it."""

    entries: dict[str, Entry]  # those that make sense
    metadata: dict[str, str]
    problems: tuple[Problem, ...]
    names: tuple[str, ...] | None  # of all tensors, None where the header cannot be read to its end


def diagnose(raw: bytes, file: str, size: int) -> Diagnosis:
    """Read a header whose `raw` bytes lie 8 bytes into a file of `size` bytes."""
    faults = Faults()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        faults.add(
            "LP006",
            file,
            "utf-8",
            "the header is not UTF-8",
            offset=_PREFIX + error.start,
            found=f"byte 0x{raw[error.start]:02x}",
            breaks=OFFICIAL + "invalid UTF-8 in header",
        )
        return Diagnosis({}, {}, faults.result(), None)
    members = _read_members(text, file, faults)
    entries, metadata = _sort_out(members, text, file, faults)
    if members is None:
        return Diagnosis(entries, metadata, faults.result(), None)
    names = tuple(dict.fromkeys(member.name for member in members if member.name != "__metadata__"))
    if len(names) == len(entries):  # an entry left out for its own fault would look like a hole
        check_layout(entries, file, _PREFIX + len(raw), size, faults)
    return Diagnosis(entries, metadata, faults.result(), names)


def _read_members(text: str, file: str, faults: Faults) -> list[Member] | None:
    begin = _SPACE.match(text).end()  # type: ignore[union-attr]
    if text[begin : begin + 1] != "{":
        faults.add(
            "LP006",
            file,
            "no-object",
            "the header does not begin with {",
            expected="{",
            found=repr(text[:1]),
            offset=_PREFIX,
            breaks=_JSON + ": expected value at line 1 column 1",
        )
        return None
    if begin:
        faults.add(
            "LP006",
            file,
            "leading-space",
            f"{begin} white-space characters stand before the opening {{",
            expected="{",
            found=repr(text[:1]),
            offset=_PREFIX,
        )
    members: list[Member] = []
    try:
        end = begin + 1
        for member, after in _members(text, begin):
            end = after
            if member:
                members.append(member)
        _check_padding(text, end, file, faults)
    except RecursionError:
        faults.add(
            "LP006",
            file,
            "nesting",
            "the header is nested far deeper than the format allows",
            offset=_PREFIX,
            breaks=_JSON + ": recursion limit exceeded",
        )
        return None
    except JSONDecodeError as error:
        _add_syntax(faults, file, text, error.pos, error.msg)
        return None
    except ValueError as error:
        _add_syntax(faults, file, text, end, str(error))
        return None
    return members


def _members(text: str, begin: int) -> Iterator[tuple[Member | None, int]]:
    """Each member with the position after it; at the end (None, position after the closing brace)."""
    at = _skip(text, begin + 1)
    if text[at : at + 1] == "}":
        yield None, at + 1
        return
    while True:
        if text[at : at + 1] != '"':
            raise JSONDecodeError("a name in double quotes must stand here", text, at)
        name, after = _scan_string(text, at + 1, True)
        after = _skip(text, after)
        if text[after : after + 1] != ":":
            raise JSONDecodeError("a colon must stand here", text, after)
        value, after = _DECODER.raw_decode(text, _skip(text, after + 1))
        yield Member(name, value, at), after
        after = _skip(text, after)
        if text[after : after + 1] == "}":
            yield None, after + 1
            return
        if text[after : after + 1] != ",":
            raise JSONDecodeError("a comma or } must stand here", text, after)
        at = _skip(text, after + 1)


def _skip(text: str, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]


def _check_padding(text: str, end: int, file: str, faults: Faults) -> None:
    rest = text[end:]
    if rest.strip(" \t\r\n"):
        bad = end + len(rest) - len(rest.lstrip(" \t\r\n"))
        faults.add(
            "LP006",
            file,
            "padding",
            "other bytes follow the closing } of the header",
            expected="spaces",
            found=repr(text[bad]),
            offset=_byte(text, bad),
            breaks=_JSON + ": trailing characters",
        )
    elif rest.strip(" "):
        faults.add(
            "LP006",
            file,
            "padding",
            "the header is padded with tabs or line breaks instead of spaces",
            severity="warning",
            offset=_byte(text, end),
        )


def _add_syntax(faults: Faults, file: str, text: str, at: int, message: str) -> None:
    faults.add(
        "LP006",
        file,
        "json",
        f"the header is not JSON: {message}",
        found=repr(text[at : at + 1]),
        offset=_byte(text, at),
        breaks=_JSON,
    )


def _byte(text: str, at: int) -> int:
    """Byte offset in the file of a character of the header."""
    return _PREFIX + len(text[:at].encode("utf-8", "surrogatepass"))


def _sort_out(
    members: list[Member] | None, text: str, file: str, faults: Faults
) -> tuple[dict[str, Entry], dict[str, str]]:
    entries: dict[str, Entry] = {}
    metadata: dict[str, str] = {}
    seen: dict[str, Any] = {}
    last = {member.name: member.at for member in members or ()}
    before, offset = 0, _PREFIX
    for name, value, at in members or ():
        offset += len(text[before:at].encode("utf-8", "surrogatepass"))
        before = at
        if name in seen:
            _add_duplicate(faults, file, name, seen[name] == value, offset)
        seen[name] = value
        if _LONE_SURROGATE.search(name):
            text_of_it = f"a name holds half a surrogate pair: {cut(ascii(name))}"
            breaks = _JSON + ": unexpected end of hex escape"
            faults.add("LP006", file, "lone-surrogate", text_of_it, offset=offset, breaks=breaks)
        elif name == "__metadata__":
            metadata = _check_metadata(value, file, offset, faults)
        elif entry := check_entry(name, value, file, offset, faults, is_kept=last[name] == at):
            entries[name] = entry
        else:
            entries.pop(name, None)
    return entries, metadata


def _add_duplicate(faults: Faults, file: str, name: str, is_same: bool, offset: int) -> None:
    how = "twice, with the same entry" if is_same else "twice, with different entries: readers keep the last"
    breaks = _JSON + ": duplicate field `__metadata__`" if name == "__metadata__" else None
    faults.add(
        "LP009",
        file,
        "identical" if is_same else "conflicting",
        f"the header names {cut(name)} {how}",
        tensor=name,
        offset=offset,
        breaks=breaks,
    )


def _check_metadata(value: Any, file: str, offset: int, faults: Faults) -> dict[str, str]:
    if not isinstance(value, Pairs):
        breaks = None if value is None else _JSON + ": invalid type, expected a map"
        faults.add(
            "LP006",
            file,
            "metadata",
            "__metadata__ is not an object of strings",
            expected="an object of strings",
            found="null" if value is None else type(value).__name__,
            offset=offset,
            breaks=breaks,
        )
        return {}
    metadata = {key: text for key, text in value if isinstance(text, str)}
    if any(not isinstance(text, str) for _, text in value):
        faults.add(
            "LP006",
            file,
            "metadata",
            "__metadata__ holds a value that is not a string",
            expected="strings",
            offset=offset,
            breaks=_JSON + ": invalid type, expected a string",
        )
    elif len(metadata) < len(value):
        faults.add("LP009", file, "metadata-key", "a key of __metadata__ is given twice", offset=offset)
    if any(_LONE_SURROGATE.search(word) for pair in metadata.items() for word in pair):
        faults.add(
            "LP006",
            file,
            "lone-surrogate",
            "__metadata__ holds half a surrogate pair",
            offset=offset,
            breaks=_JSON + ": unexpected end of hex escape",
        )
        return {}
    return metadata
