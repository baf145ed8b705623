"""Whole load reports in a log: which names a library called missing, unexpected or of the wrong size."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from loadproof.core.symptom import Mismatch
from loadproof.core.tensors import Shape
from loadproof.tracebacks.names import looks_like_name
from loadproof.tracebacks.patterns import NAME, NAME_BEGINS, SHAPE
from loadproof.tracebacks.shapes import read_shapes

_TABLE = re.compile(
    r"(?<![^\s|])(?=[^\s|])(?P<name>[^\s|{}]{0,200}(?:\{[^{}|\n]{0,60}\}[^\s|{}]{0,200}){0,4})\s{0,200}\|\s{0,20}"
    r"(?P<status>MISSING|UNEXPECTED|MISMATCH|CONVERSION)\b"
)
_BARE_SIZES = r"\d{1,12}(?:,? {1,8}x? ?\d{1,12}|,\d{1,12}){0,7}"  # 5120, 32000 and 5120 x 32000
_SIZE = re.compile(
    rf"size mismatch for (?P<name>{NAME}?):?\s[^\[({{\n]{{0,120}}?(?P<stored>{SHAPE})[^\[({{\n]{{0,120}}?(?P<wanted>{SHAPE})"
    rf"|(?P<name7>qzeros|scales|weight|bias|size mismatch|(?<![\w.])(?=\w{{0,80}}\.)[\w.]{{3,300}}):? "
    rf"<?(?P<stored7>{SHAPE})>? vs\.? <?(?P<wanted7>{SHAPE})>?"
    rf"|{NAME_BEGINS}(?P<name2>{NAME}): found shape (?P<stored2>{SHAPE}) in the checkpoint and (?P<wanted2>{SHAPE})"
    rf"|Expected shape (?P<wanted3>{SHAPE}) but received shape (?P<stored3>{SHAPE}) for parameter (?P<name3>{NAME})"
    rf"|Mismatched parameter (?P<name4>{NAME}) shape\. Actual (?P<stored4>{SHAPE}), expected (?P<wanted4>{SHAPE})"
    rf"|tensor ['\"`]?(?P<name5>{NAME})['\"`]? has wrong shape; "
    rf"expected\s+(?P<wanted5>{SHAPE}|{_BARE_SIZES}), got\s+(?P<stored5>{SHAPE}|{_BARE_SIZES})"
    rf"|Tried to load weights of size (?P<stored0>{SHAPE})\s?to a parameter of size (?P<wanted0>{SHAPE})"
    rf"|Trying to set a tensor of shape (?P<stored8>{SHAPE}) in ['\"`]?(?P<name8>{NAME}?)['\"`]? "
    rf"\(which has shape (?P<wanted8>{SHAPE})"
    rf"|{NAME_BEGINS}(?P<name9>{NAME}) expected shape [^\n]{{0,60}}?(?P<wanted9>{SHAPE})\)?, but got (?P<stored9>{SHAPE})"
    rf"|{NAME_BEGINS}(?P<name6>{NAME})\s{{0,200}}\|\s{{0,20}}MISMATCH\s{{0,20}}\|[^\n]{{0,80}}?ckpt:\s{{0,9}}(?P<stored6>{SHAPE})"
    rf"[^\n]{{0,40}}?model:\s{{0,9}}(?P<wanted6>{SHAPE})"
)
_LISTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(text), kind)
    for text, kind in (
        (r"from the model checkpoint.*?newly initialized(?: because the shapes did not match)?:", "missing"),
        (r"not initialized: (?=[\[{])", "missing"),
        (r"newly initialized: (?=[\[{])", "missing"),
        (r"[Mm]issing key\(?s?\)?(?: in state_dict)?: ", "missing"),
        (r"missing keys in the checkpoint model loaded: ", "missing"),
        (r"[Ff]ollowing weights were not initialized from checkpoint: ", "missing"),
        (r"Found missing adapter keys while loading the checkpoint: ", "missing"),
        (r"Missing (?:\d+ )?parameters: ?", "missing"),
        (r"the following keys are missing: ?", "missing"),
        (r"Required but not provided tensors: ?", "missing"),
        (r"Expected but not provided tensors: ?", "missing"),
        (r"Provided but not expected tensors: ?", "unexpected"),
        (r"checkpoint(?: at \S+)? were not used(?: when initializing \w+)?: ", "unexpected"),
        (r"were not used when initializing \w+: ", "unexpected"),
        (r"[Uu]nexpected key\(?s?\)?(?: in state_dict)?: ", "unexpected"),
        (r"unexpected keys in the checkpoint model loaded: ", "unexpected"),
        (r"Found unexpected (?:adapter )?keys while loading the checkpoint: ", "unexpected"),
        (r"Received (?:\d+ )?parameters not in model: ?", "unexpected"),
        (r"not used(?: when initializing \w+)?: (?=[\[{])", "unexpected"),
    )
)  # fmt: skip
_SIZE_WORDS = ("shape", "mismatch", "MISMATCH", "of size")
_LIST_WORDS = ("nitialized", "key", "used", "parameters", "not provided", "not expected")
_WORD = re.compile(
    r"'([^'\s]+)'|\"([^\"\s]+)\"|((?<![\w-])(?:[\w-]{1,120}|<[^>]{0,60}>)(?:\.(?:[\w*-]{1,120}|<[^>]{0,60}>|\{[^}\n]{0,60}\})){1,40})"
)
_ELLIPSIS = re.compile(r"\{\d[\d., -]*\}")
_NAMELESS = "weight"  # of a text that gives two sizes alone
LONGEST = 3000  # characters of a line that are searched for sizes
LIMIT = 20_000  # names kept of one kind


class Rows(Struct):
    """All rows found in the text, in order of appearance, without repetition."""

    missing: dict[str, None]
    unexpected: dict[str, None]
    mismatched: dict[str, Mismatch]


def read_reports(lines: Sequence[str]) -> Rows:
    """Collect the rows of every report among these (clean) lines."""
    rows = Rows({}, {}, {})
    for at, text in enumerate(lines):
        _read_sizes(text, rows)
        if "|" in text:
            _read_table(text, rows)
        if ":" in text and any(word in text for word in _LIST_WORDS):
            _read_lists(lines, at, rows)
    return rows


def _read_table(text: str, rows: Rows) -> None:
    for row in _TABLE.finditer(text):
        kind = {"MISSING": rows.missing, "UNEXPECTED": rows.unexpected}.get(row["status"])
        if kind is not None and len(kind) < LIMIT:
            kind.setdefault(row["name"])


def _read_sizes(text: str, rows: Rows) -> None:
    if not any(word in text for word in _SIZE_WORDS):
        return
    for found in _SIZE.finditer(text[:LONGEST]):
        parts = [value for value in found.groupdict().items() if value[1] is not None]
        values = {key.rstrip("023456789"): value for key, value in parts}
        stored, wanted = (_one_shape(values[key]) for key in ("stored", "wanted"))
        name = values.get("name", _NAMELESS).strip("'\"")
        if stored is not None and wanted is not None and len(rows.mismatched) < LIMIT:
            rows.mismatched.setdefault(name, Mismatch(name, stored, wanted))


def _one_shape(text: str) -> Shape | None:
    shapes = read_shapes(text if text[0] in "[({t" else f"[{text.strip(' ,')}]")
    return _without_ones(shapes[0]) if shapes else None


def _without_ones(shape: Shape) -> Shape:
    """ggml prints four sizes whatever the rank: ``4096, 14336, 1, 1``."""
    return shape[:2] if len(shape) == 4 and shape[2:] == (1, 1) else shape


def _read_lists(lines: Sequence[str], at: int, rows: Rows) -> None:
    for pattern, kind in _LISTS:
        found = pattern.search(lines[at][:LONGEST])
        if not found:
            continue
        names = rows.missing if kind == "missing" else rows.unexpected
        for name in _names_from(lines, at, found.end()):
            if len(names) < LIMIT:
                names.setdefault(name)


def _names_from(lines: Sequence[str], at: int, begin: int) -> Iterator[str]:
    """Names from this place on, over following lines while the list is open."""
    text = lines[at][begin:]
    opened = text.lstrip()[:1]
    close = {"[": "]", "{": "}"}.get(opened, "")
    for _ in range(2000):
        end = _end_of_list(text, close)
        yield from _names_in(text if end is None else text[:end], bool(close))
        at += 1
        if end is not None or at >= len(lines):
            return
        text = lines[at]
        if not text.strip() or (not close and not _goes_on(text)):
            return


def _end_of_list(text: str, close: str) -> int | None:
    if close:
        end = _ELLIPSIS.sub(lambda m: "x" * len(m.group()), text).rfind(close)
        return end if end >= 0 else None
    found = re.search(r"\.\s*$|\. |\|| Unexpected | Missing ", text)
    return found.start() if found else None


def _goes_on(text: str) -> bool:
    return bool(re.match(r"^\s*['\"]?[\w.{}-]+['\"]?,?\s*$", text)) and "." in text


def _names_in(text: str, listed: bool) -> Iterator[str]:
    bare = re.fullmatch(r"\s*[\[{]?([\w/]+_[\w/]+)", text)
    if listed and bare:
        yield bare[1]
    for found in _WORD.finditer(text):
        quoted = found[1] or found[2]
        name = (quoted or found[3]).rstrip(".,")
        if quoted or looks_like_name(name):
            yield name
