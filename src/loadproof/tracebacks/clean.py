"""One line of a log, freed from colours and from what launchers, loggers, notebooks and mail programs put before it."""

from __future__ import annotations

import re

from msgspec import Struct, json

_CONTROL = re.compile(
    r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]"
    r"|\\x1b\[[0-9;]*m|\\u001b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
_DATE = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_LEVEL = r"(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)"
_STATUS = r"(?!\s*(?:Status|MISSING|UNEXPECTED|MISMATCH|CONVERSION|[-:]+)\b)"
# Each alternative is one kind of prefix. Group `rank` marks lines of one process among interleaved ones.
_PREFIX = re.compile(
    rf"""(?:
      \((?P<actor>[A-Za-z][\w.:/-]*\ ?(?:\([^()]*\)\ )?pid=\d++[^()]{{0,200}})\)\ ?
    | \[(?P<rank>(?:rank|default|Rank\ ?|RANK\ ?|GPU\ ?|worker\ ?)\d+)\]:?\ ?
    | \[(?P<mpi>\d+,\d+)\]<\w+>:?\ ?
    | (?P<srun>\d{{1,4}}):\ (?=\ {{2,}}|Traceback|[A-Za-z_.]+(?:Error|Exception)\b)
    | (?P<compose>[a-z][\w.-]{{1,60}})\ +\|\ {_STATUS}(?=.*\S)(?<!\w\.weight\ \|\ )
    | {_LEVEL}\ \d\d-\d\d\ \d\d:\d\d:\d\d(?:[.,]\d+)?\ \[?[\w./-]+:\d+\]\ ?
    | \[{_DATE}(?P<sglang>(?:\ (?:TP|DP|PP|EP|ATTN_TP)\d+)*)\]:?\ ?
    | \[{_DATE}\]\[{_LEVEL}\][^\]]*\]?\ ?
    | \[{_LEVEL}\|[^\]]*\]\ (?:{_DATE}\ )?>>\ ?
    | \[?{_DATE}\]?(?:\ -\ [\w.]+\ -)?(?:\ -?\ ?\[?{_LEVEL}\]?)?(?:\ -)?[:,]?\ (?:[\w./-]+:\d+\ -\ )?
    | {_LEVEL}:[\w.-]+:\ ?
    | \[\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?\]\ ?
    | [A-Z][a-z]{{2}}\ [ \d]\d\ \d\d:\d\d:\d\d\ \S+\ [\w./@-]+(?:\[\d+\])?:\ ?
    | E\ {{3}}(?=\s*\S)
    | >\ ?(?!>)
    )""",
    re.VERBOSE,
)
_CORNERS, _SIDES = "╭╰┌└╮╯┐┘", "│┃|"
_MAX_PREFIXES, _PREFIX_ENDS = 6, 600  # a prefix lies within so many characters


class Line(Struct, frozen=True):
    """`source` names the process among interleaved ones ("" when unmarked); `stamped`: a logger wrote the line."""

    text: str
    source: str = ""
    stamped: bool = False


def strip_control(text: str) -> str:
    """Without terminal escapes, bidi marks and other control characters: safe to print."""
    return _CONTROL.sub("", text)


def clean_line(raw: str) -> Line:
    """The line's own text with its indentation, and the process it came from."""
    text = strip_control(raw).rstrip()
    if not text:
        return Line("")
    source: list[str] = []
    stamped = False
    for _ in range(_MAX_PREFIXES):
        found = _PREFIX.match(text[:_PREFIX_ENDS])
        if not found or not found.end():
            break
        marks = [mark for mark in found.groups() if mark]
        source += marks
        stamped = stamped or not marks or found["sglang"] is not None
        text = text[found.end() :]
    if text[:1] in "│┃╭╰┌└" or text.lstrip()[:1] in ("│", "┃"):
        text = _unbox(text)
    return Line(text.rstrip(), " ".join(source), stamped)


def _unbox(text: str) -> str:
    """A line without the frame that Rich draws around a traceback; the frame's upper edge holds its title."""
    inner = text.strip()
    if inner[:1] in _CORNERS and inner[-1:] in _CORNERS:
        return "Traceback (most recent call last):" if "Traceback (most recent" in text else ""
    if inner[:1] not in _SIDES:
        return text
    inner = inner[1:].rstrip()
    return inner.rstrip(_SIDES).rstrip().removeprefix(" ")


def expand(raw: str) -> list[str]:
    """One raw line as the lines it stands for: JSON log records and texts with escaped line ends are unfolded."""
    text = raw.rstrip("\r\n")
    start = text.lstrip()[:1]
    if start == "{" and '"' in text:
        text = _message_of_record(text)
    elif start == '"' and text.rstrip().endswith(('\\n"', '\\n",')):  # a cell output inside .ipynb
        text = text.strip().rstrip(",").strip('"')
    if '\\n  File \\"' in text or '\\n  File "' in text or text.startswith("Traceback (most recent call last):\\n"):
        text = text.replace("\\n", "\n").replace('\\"', '"').replace("\\t", "\t")
    elif text.endswith("\\n") and start == '"':
        text = text[:-2].replace('\\"', '"')
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _message_of_record(text: str) -> str:
    try:
        record = json.decode(text, type=dict[str, object])
    except Exception:
        return text
    fields = record.get("fields")
    if isinstance(fields, dict):
        record = {**record, **fields}
    for key in ("log", "message", "msg", "text", "textPayload", "exc_info", "event"):
        value = record.get(key)
        if isinstance(value, str):
            return value.rstrip("\n")
    return text
