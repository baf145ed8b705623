"""Edits of JSON text that touch only the bytes they must: formatting, key order and line ends stay as they are.

Values are addressed by a path of keys and list positions. Every edit is checked: the edited text must parse to exactly
the edited value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from loadproof.core.config import JsonPath
from loadproof.jsontext import scan
from loadproof.jsontext.read import Flaw, decode, no_constant, unique
from loadproof.jsontext.scan import Member, end_of, skip, string_end


class JsonEditError(ValueError):
    """The edit cannot be made; the message says why."""


def parse(text: str) -> Any:
    """The value of a JSON text. Raises JsonEditError for what is not plain JSON, duplicate keys included."""
    try:
        return decode(text, objects=unique, integers=int, constants=no_constant)
    except Flaw as flaw:
        raise JsonEditError(f"the text {flaw.text}") from None


def show_path(path: JsonPath) -> str:
    """``text_config.layer_types[20]``"""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".") or "the document"


def find(text: str, path: JsonPath) -> int:
    """Where the value at `path` begins. Raises JsonEditError."""
    found = scan.find(text, path)
    if found is None:
        raise JsonEditError(f"there is no {show_path(path)}")
    return found.value


def members_of(text: str, position: int) -> list[Member]:
    return list(scan.members(text, position))


# ---------------------------------------------------------------- edits
def set_value(text: str, path: JsonPath, value: Any) -> str:
    """`text` with the value at `path` replaced, or added at the end of its object. Raises JsonEditError."""
    wanted = assign(parse(text), path, value)
    edited = _set(text, skip(text, 0), path, value)
    return _proved(edited, wanted)


def delete_value(text: str, path: JsonPath) -> str:
    """`text` without the member at `path`. Raises JsonEditError when there is none."""
    wanted = parse(text)
    parent = _walk(wanted, path[:-1])
    _walk(parent, path[-1:])
    del parent[path[-1]]
    position = find(text, path[:-1])
    members = members_of(text, position)
    at = next(i for i, member in enumerate(members) if member.key == path[-1])
    return _proved(_without(text, members, at), wanted)


def rename_keys(text: str, path: JsonPath, new_keys: Mapping[str, str | None]) -> str:
    """`text` with the keys of the object at `path` renamed; None removes the member. Raises JsonEditError."""
    wanted = parse(text)
    _rename(wanted, path, new_keys)
    kept: list[str] = []
    members = members_of(text, find(text, path))
    done, any_kept = 0, False
    ascii_only = text.isascii()
    for i, member in enumerate(members):
        new = new_keys.get(str(member.key), member.key)
        if new is None:
            begin, end = _extent(members, i, any_before=any_kept)
            kept.append(text[done:begin])
            done = end
            continue
        any_kept = True
        if new != member.key:
            end = string_end(text, member.start)
            kept += [text[done : member.start], json.dumps(new, ensure_ascii=ascii_only)]
            done = end
    kept.append(text[done:])
    return _proved("".join(kept), wanted)


def add_members(text: str, path: JsonPath, members: Mapping[str, Any]) -> str:
    """`text` with members added at the end of the object at `path`, all at once. Raises JsonEditError."""
    if not members:
        return text
    wanted = parse(text)
    target = _walk(wanted, path)
    if not isinstance(target, dict) or not target.keys().isdisjoint(members):
        raise JsonEditError(f"{show_path(path)} is no object, or has one of the keys already")
    target.update(members)
    position = find(text, path)
    present = members_of(text, position)
    if not present:
        return _proved(_replace(text, position, target), wanted)
    last = present[-1]
    before = _rstrip(text, last.start)
    gap = text[before : last.start] or (" " if len(present) < 2 else "")
    colon, ascii_only = _colon(text, present), text.isascii()
    indent, spread = _indent_at(text, last.start), "\n" in gap
    added = [
        f",{gap}{json.dumps(key, ensure_ascii=ascii_only)}{colon}{_dump(text, value, indent, spread)}"
        for key, value in members.items()
    ]
    return _proved(text[: last.end] + "".join(added) + text[last.end :], wanted)


def assign(document: Any, path: JsonPath, value: Any) -> Any:
    """The document with the value set (in place where it can). Missing objects on the way are created."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(document, dict) and isinstance(step, str):
        document[step] = assign(document.get(step, {} if rest else None), rest, value)
    elif isinstance(document, list) and isinstance(step, int) and 0 <= step <= len(document) - bool(rest):
        document[step : step + 1] = [assign(document[step] if rest else None, rest, value)]
    else:
        raise JsonEditError(f"there is no place {step!r} in {type(document).__name__}")
    return document


def _walk(document: Any, path: JsonPath) -> Any:
    for step in path:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            raise JsonEditError(f"there is no {show_path(path)}") from None
    return document


def _rename(document: Any, path: JsonPath, new_keys: Mapping[str, str | None]) -> None:
    target = _walk(document, path)
    pairs = [(new_keys.get(key, key), value) for key, value in target.items()]
    left = [(key, value) for key, value in pairs if key is not None]
    if len(dict(left)) != len(left):
        raise JsonEditError("two keys would become one")
    target.clear()
    target.update(left)


def _proved(text: str, wanted: Any) -> str:
    if not same(parse(text), wanted):
        raise JsonEditError("the edited text does not say what it should")
    return text


def same(one: Any, other: Any) -> bool:
    """Equality that tells 1 from 1.0 and from true, and minds the order of keys."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


# ---------------------------------------------------------------- text level
def _set(text: str, position: int, path: JsonPath, value: Any) -> str:
    if not path:
        return _replace(text, position, value)
    members = members_of(text, position)
    for member in members:
        if member.key == path[0]:
            return _set(text, member.value, path[1:], value)
    for step in reversed(path[1:]):
        value = {step: value}
    return _insert(text, position, members, path[0], value)


def _replace(text: str, position: int, value: Any) -> str:
    """Replace the value at `position`; inside containers of the same outline only the parts that differ."""
    end = end_of(text, position)
    old = json.loads(text[position:end])
    if same(old, value):
        return text
    if isinstance(old, list) and isinstance(value, list) and len(old) == len(value):
        keys: list[str | int] = list(range(len(old)))
    elif isinstance(old, dict) and isinstance(value, dict) and list(old) == list(value):
        keys = list(old)
    else:
        return text[:position] + _render(text, position, end, value) + text[end:]
    for member in reversed(members_of(text, position)):  # from the back: spans before it stay valid
        if member.key in keys and not same(old[member.key], value[member.key]):
            text = _replace(text, member.value, value[member.key])
    return text


def _insert(text: str, position: int, members: list[Member], key: str | int, value: Any) -> str:
    is_object = text[position] == "{"
    label = json.dumps(key, ensure_ascii=text.isascii()) + _colon(text, members) if is_object else ""
    if members:
        last = members[-1]
        gap = text[_rstrip(text, last.start) : last.start] or (" " if len(members) < 2 else "")
        rendered = _dump(text, value, _indent_at(text, last.start), spread="\n" in gap)
        return text[: last.end] + "," + gap + label + rendered + text[last.end :]
    end = end_of(text, position)
    if "\n" not in text:
        return text[: position + 1] + label + _dump(text, value, "", spread=False) + text[end - 1 :]
    outer = _indent_at(text, position)
    line = _newline(text) + outer + _unit(text)
    rendered = _dump(text, value, outer + _unit(text), spread=True)
    return text[: position + 1] + line + label + rendered + _newline(text) + outer + text[end - 1 :]


def _render(text: str, begin: int, end: int, value: Any) -> str:
    old = text[begin:end]
    empty_or_scalar = old[0] not in "[{" or not old[1:-1].strip()
    spread = "\n" in old if not empty_or_scalar else "\n" in text
    return _dump(text, value, _indent_at(text, begin), spread)


def _dump(text: str, value: Any, indent: str, spread: bool) -> str:
    ascii_only = text.isascii()
    if not spread:
        return json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    rendered = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False, indent=_unit(text))
    return rendered.replace("\n", _newline(text) + indent)  # strings hold no raw line break


def _without(text: str, members: list[Member], at: int) -> str:
    begin, end = _extent(members, at, any_before=at > 0)
    return text[:begin] + text[end:]


def _extent(members: list[Member], at: int, *, any_before: bool) -> tuple[int, int]:
    # A member goes with the comma before it; where none is left before it, with the comma after it.
    if any_before:
        return members[at - 1].end, members[at].end
    if at + 1 < len(members):
        return members[at].start, members[at + 1].start
    return members[at].start, members[at].end


def _colon(text: str, members: list[Member]) -> str:
    if not members:
        return ": "
    last = members[-1]
    return text[string_end(text, last.start) : last.value]


def _unit(text: str) -> str:
    found = re.search(r"[{\[]\r?\n([ \t]+)\S", text)
    return found.group(1) if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_at(text: str, position: int) -> str:
    line = text.rfind("\n", 0, position) + 1
    found = re.compile(r"[ \t]*").match(text, line)
    return found.group() if found else ""


def _rstrip(text: str, position: int) -> int:
    while position and text[position - 1] in " \t\r\n":
        position -= 1
    return position
