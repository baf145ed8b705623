"""Tracebacks of Python, notebooks, Ray and Rich, from interleaved processes, as a list of raised exceptions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from loadproof.tracebacks.clean import Line

_START = re.compile(r"Traceback \(most recent call last\)")
_FRAME = re.compile(r'^\s*File ["\']?(?P<file>[^"\']{1,500}?)["\']?, line (?P<line>\d+)(?:, in (?P<function>[^\s(]+))?')
_FRAME_IPYTHON = re.compile(
    r"^\s*(?:File )?(?P<file>(?:~|/|[A-Za-z]:\\|<)\S*?)(?::(?P<line>\d+),)? in (?P<function>[\w.<>]+)"
)
_FRAME_RICH = re.compile(r"^\s*(?P<file>/\S+\.py):(?P<line>\d+) in (?P<function>[\w<>]+)")
_RAISED = re.compile(r"^(?P<type>[A-Za-z_][\w.]*(?:\([\w.]+\))?)(?:: ?(?P<message>.*)|, [^\x00-\x7f].*)?$")
_BARE = re.compile(
    r"^\s*(?P<type>(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception|Interrupt|Warning)|HeadFault)(?:\([\w.]+\))?)"
    r"(?:: ?(?P<message>.*)|, [^\x00-\x7f].*)?$"  # the type alone, in the middle of a sentence in Chinese
)
_BARE_WORDS = ("Error", "Exception", "Interrupt", "Warning", "HeadFault")
_INLINE = re.compile(r"(?<![\w.])(?P<type>(?:[a-z_]\w*\.)*(?:[A-Z]\w*Error|HeadFault)):\s*(?P<message>\S.*)$")
_REPR = re.compile(r"\b(?P<type>[A-Z]\w*Error)\((?P<message>(?P<quote>['\"]).{1,600}?(?P=quote)),?\)")
_LINKS = {
    "The above exception was the direct cause": "cause",
    "During handling of the above exception": "context",
}
_LONGEST = 4000  # characters of a line in which an exception is looked for
_MAX_FRAMES, _MAX_MESSAGE, _MAX_RAISED = 200, 60, 400


class Raised(Struct):
    """One exception. `link` says how the next one of the chain follows: "", "cause" or "context"."""

    type: str
    message: str
    frames: list[str]  # "path/file.py:12 function", outermost first
    link: str = ""
    source: str = ""


class _Process:
    """Reads the lines of one process in order."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.frames: list[str] = []
        self.inside = False
        self.stamped = False
        self.current: Raised | None = None
        self.extra = 0

    def feed(self, line: Line) -> Raised | None:
        text = line.text
        if _START.search(text):
            self._begin(line)
            return None
        if not self.inside and _FRAME.match(text):
            self._begin(line)
        if self.inside:
            return self._frame_or_raise(line)
        if self.current is not None and self._continues(line):
            self.current.message += "\n" + text
            self.extra += 1
            return None
        self._link(text)
        if text.strip():
            self.current = None
        return self._bare(text)

    def _begin(self, line: Line) -> None:
        self.inside, self.frames, self.stamped = True, [], line.stamped
        self.current = None

    def _frame_or_raise(self, line: Line) -> Raised | None:
        text = line.text
        for pattern in (_FRAME, _FRAME_IPYTHON, _FRAME_RICH):
            found = pattern.match(text)
            if found:
                if len(self.frames) < _MAX_FRAMES:
                    self.frames.append(f"{found['file']}:{found['line'] or '?'} {found['function'] or ''}".strip())
                return None
        if not text or text[0] in " \t\u2502-" or text.startswith(("Cell In", "Cell ", "(pid", "ray::")):
            return None
        found = _RAISED.match(text)
        if not found or (line.stamped and not self.stamped):
            return None
        if not _looks_raised(found["type"]) and not self.frames:
            return None
        return self._raise(found["type"], found["message"] or "")

    def _bare(self, text: str) -> Raised | None:
        text = text[:_LONGEST]
        if not any(word in text for word in _BARE_WORDS):
            return None
        found = _BARE.match(text) or _INLINE.search(text)
        if found:
            return self._raise(found["type"], found["message"] or "")
        quoted = _REPR.search(text)
        return self._raise(quoted["type"], _said(quoted)) if quoted else None

    def _raise(self, kind: str, message: str) -> Raised:
        self.current = Raised(kind, message, self.frames, source=self.source)
        self.inside = kind.startswith(("RayTaskError", "ray.exceptions"))
        self.frames, self.extra = [], 0
        return self.current

    def _continues(self, line: Line) -> bool:
        text = line.text
        if not text or self.extra >= _MAX_MESSAGE or line.stamped != self.stamped:
            return False
        if _BARE.match(text) and not text[0].isspace():
            return False
        return not any(sentence in text for sentence in _LINKS)

    def _link(self, text: str) -> None:
        for sentence, link in _LINKS.items():
            if sentence in text and self.current is not None:
                self.current.link = link


def _said(quoted: re.Match[str]) -> str:
    """The message of ``ValueError('...')``; a KeyError prints its key with quotes."""
    return quoted["message"] if quoted["type"] == "KeyError" else quoted["message"][1:-1]


def _looks_raised(kind: str) -> bool:
    last = kind.rsplit(".", 1)[-1]
    return last.endswith(("Error", "Exception", "Interrupt", "Exit", "Warning", "Iteration")) or "(" in last


def read_exceptions(lines: Iterable[Line]) -> list[Raised]:
    """All exceptions in the order in which their last line appears; those of one process keep their chain links."""
    processes: dict[str, _Process] = {}
    raised: list[Raised] = []
    last = None
    for line in lines:
        process = processes.get(line.source)
        if process is None and not line.source and last is not None and last.current is not None:
            process = last  # a message of several lines, of which the logger marked the first only
        if process is None:
            process = processes.setdefault(line.source, _Process(line.source))
        found = process.feed(line)
        last = process
        if found is not None and len(raised) < _MAX_RAISED:
            raised.append(found)
    return raised
