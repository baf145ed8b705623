"""JSON text -> value and problems. Accepts what ``json.loads`` accepts, and says what is wrong with it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from loadproof.config.problems import INVALID, Few, fault
from loadproof.core.checkpoint import Problem
from loadproof.core.severity import Severity
from loadproof.jsontext.read import Flaw, decode, text_of

MAX_BYTES = 16 * 1024 * 1024
MAX_DEPTH = 32  # deeper files are legal JSON, no model config nests like that


def parse_object(data: bytes, file: str, place: str) -> tuple[dict[str, Any], str, list[Problem]]:
    """The object (empty if there is none), its text, and what is wrong.

    `place` is the path under which a reader asked for it. Never raises on any content.
    """
    text, notes = "", _Notes(file)
    try:
        text = text_of(data)
        value = decode(text, objects=notes.pairs, integers=int, constants=notes.constant)
    except Flaw as flaw:
        return {}, text, [_unreadable(file, data, flaw, place)]
    if not isinstance(value, dict):
        kind = type(value).__name__
        return {}, text, [fault(INVALID, file, "not-object", f"{file} holds a {kind}, not an object", particular=place)]
    return value, text, [*notes.problems.result(), *_depth(value, file)]


def _unreadable(file: str, data: bytes, flaw: Flaw, place: str) -> Problem:
    if flaw.kind == "utf-8":
        reason = "UTF-16 text" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else f"byte {flaw.offset} is not UTF-8"
        return fault(INVALID, file, "encoding", f"{file} is not UTF-8: {reason}", particular=place)
    if flaw.kind == "nesting":
        return fault(INVALID, file, "depth", f"{file} nests too deeply to be read", particular=flaw.particular)
    if flaw.error is None:
        return fault(INVALID, file, flaw.kind, f"{file} {flaw.text}", particular=flaw.particular)
    if not flaw.error.doc.strip():
        return fault(INVALID, file, "empty", f"{file} is empty", particular=place)
    error = flaw.error
    text = f"{file} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
    return replace(fault(INVALID, file, "syntax", text, particular=place), line=error.lineno)


class _Notes:
    """Collects what ``json.loads`` lets pass: duplicate keys (the last one wins) and non-finite numbers."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems = Few()

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            seen: dict[str, Any] = {}
            for key, item in pairs:
                if key in seen:
                    self._twice(key, seen[key], item)
                seen[key] = item
        return value

    def _twice(self, key: str, first: Any, last: Any) -> None:
        same = first == last
        text = f'"{key}" stands twice in {self.file}' + ("" if same else "; the last one is used")
        severity: Severity = "warning" if same else "error"
        self.problems.add(fault(INVALID, self.file, "duplicate-key", text, severity=severity, found=last))

    def constant(self, word: str) -> float:
        text = f"{self.file} holds {word}, which is not JSON; only some readers take it"
        self.problems.add(fault(INVALID, self.file, "constant", text, severity="warning", found=word))
        return float(word)


def _depth(value: Any, file: str) -> list[Problem]:
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [child for item in level for child in _children(item)]
    if not level:
        return []
    text = f"{file} nests more than {MAX_DEPTH} levels deep"
    return [fault(INVALID, file, "depth", text, severity="warning")]


def _children(item: Any) -> list[Any]:
    children = item.values() if isinstance(item, dict) else item
    return [child for child in children if isinstance(child, (dict, list))]
