"""The exact path: read a header member by member and say of everything that is wrong where and what it is."""

from __future__ import annotations

import re
from json.decoder import JSONDecodeError, JSONDecoder
from typing import Any, NamedTuple

from loadproof.core.checkpoint import Problem
from loadproof.formats.entry import PREFIX, Entry
from loadproof.formats.entry_exact import OddNumber, check_entry
from loadproof.formats.faults import Faults, cut
from loadproof.formats.layout import check_layout
from loadproof.jsontext.read import Flaw, Pairs, text_of
from loadproof.jsontext.scan import Member, members, skip

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


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
        text = text_of(raw)
    except Flaw as flaw:
        begin = flaw.offset or 0
        faults.add(
            "LP006",
            file,
            flaw.kind,
            f"the header {flaw.text}",
            offset=PREFIX + begin,
            found=f"byte 0x{raw[begin]:02x}",
        )
        return Diagnosis({}, {}, faults.result(), None)
    found = _read_members(text, file, faults)
    entries, metadata = _sort_out(found or [], text, file, faults)
    if found is None:
        return Diagnosis(entries, metadata, faults.result(), None)
    names = tuple(dict.fromkeys(str(member.key) for member in found if member.key != "__metadata__"))
    if len(names) == len(entries):  # an entry left out for its own fault would look like a hole
        check_layout(entries, file, PREFIX + len(raw), size, faults)
    return Diagnosis(entries, metadata, faults.result(), names)


def _read_members(text: str, file: str, faults: Faults) -> list[Member] | None:
    begin = skip(text, 0)
    if text[begin : begin + 1] != "{":
        faults.add(
            "LP006",
            file,
            "no-object",
            "the header does not begin with {",
            expected="{",
            found=repr(text[:1]),
            offset=PREFIX,
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
            offset=PREFIX,
        )
    found: list[Member] = []
    end = begin + 1
    try:
        for member in members(text, begin, _DECODER.raw_decode):
            found.append(member)
            end = member.end
        _check_padding(text, skip(text, end) + 1, file, faults)
    except RecursionError:
        faults.add(
            "LP006",
            file,
            "nesting",
            "the header is nested far deeper than the format allows",
            offset=PREFIX,
        )
        return None
    except JSONDecodeError as error:
        _add_syntax(faults, file, text, error.pos, error.msg)
        return None
    except ValueError as error:
        _add_syntax(faults, file, text, end, str(error))
        return None
    return found


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
            particular="other-bytes",
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
    )


def _byte(text: str, at: int) -> int:
    """Byte offset in the file of a character of the header."""
    return PREFIX + len(text[:at].encode("utf-8", "surrogatepass"))


def _sort_out(found: list[Member], text: str, file: str, faults: Faults) -> tuple[dict[str, Entry], dict[str, str]]:
    entries: dict[str, Entry] = {}
    metadata: dict[str, str] = {}
    seen: dict[str, Any] = {}
    last = {member.key: member.start for member in found}
    before, offset = 0, PREFIX
    for member in found:
        name, value, at = str(member.key), member.read, member.start
        offset += len(text[before:at].encode("utf-8", "surrogatepass"))
        before = at
        if name in seen:
            _add_duplicate(faults, file, name, seen[name] == value, offset)
        seen[name] = value
        if _LONE_SURROGATE.search(name):
            text_of_it = f"a name holds half a surrogate pair: {cut(ascii(name))}"
            faults.add("LP006", file, "lone-surrogate", text_of_it, offset=offset)
        elif name == "__metadata__":
            metadata = _check_metadata(value, file, offset, faults)
        elif entry := check_entry(name, value, file, offset, faults, is_kept=last[name] == at):
            entries[name] = entry
        else:
            entries.pop(name, None)
    return entries, metadata


def _add_duplicate(faults: Faults, file: str, name: str, is_same: bool, offset: int) -> None:
    how = "twice, with the same entry" if is_same else "twice, with different entries: readers keep the last"
    faults.add(
        "LP009",
        file,
        "identical" if is_same else "conflicting",
        f"the header names {cut(name)} {how}",
        tensor=name,
        offset=offset,
    )


def _check_metadata(value: Any, file: str, offset: int, faults: Faults) -> dict[str, str]:
    if not isinstance(value, Pairs):
        faults.add(
            "LP006",
            file,
            "metadata",
            "__metadata__ is not an object of strings",
            expected="an object of strings",
            found="null" if value is None else type(value).__name__,
            offset=offset,
            particular="" if value is None else "a map",
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
            particular="a string",
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
        )
        return {}
    return metadata
