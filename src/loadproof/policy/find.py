"""Which policy file is in force: the nearest one from the working folder upwards.

Every check asks this, so that nothing but the file system is needed here. The folder of a checkpoint is passed over: a
file that comes with a download must not decide what is said of it.
"""

from __future__ import annotations

import os
import re

from msgspec import Struct

OWN = "loadproof.toml"
PROJECT = "pyproject.toml"
LARGEST = 1 << 20  # bytes of a file that is read
_MOST_DOTS = 200  # outside of quotes in one line: the time that a dotted key takes grows with the square of its parts
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*+("?)|'[^']*+('?)""")  # also a quote that is not closed: no part is read twice
_WORD, _HEADER = b"loadproof", b"[tool.loadproof"
_OF_CHECKPOINTS = ("config.json", "model.safetensors", "model.safetensors.index.json", "adapter_config.json")


class Found(Struct, frozen=True):
    """The file in force, and those that are not, with the reason."""

    file: str | None
    passed_over: tuple[tuple[str, str], ...] = ()


def find_policy(start: str = os.curdir) -> Found:
    """The nearest loadproof.toml, or pyproject.toml with a [tool.loadproof], in `start` or above."""
    folder = os.path.abspath(start)
    passed_over: list[tuple[str, str]] = []
    while True:
        for name in (OWN, PROJECT):
            file = os.path.join(folder, name)
            if not _is_policy(file, name):
                continue
            if not _holds_checkpoint(folder):
                return Found(_shown(file), tuple(passed_over))
            passed_over.append(
                (_shown(file), "it lies in the folder of a checkpoint; --config FILE takes it all the same")
            )
        above = os.path.dirname(folder)
        if above == folder:
            return Found(None, tuple(passed_over))
        folder = above


def _shown(file: str) -> str:
    """As people would type it from here."""
    try:
        return os.path.relpath(file)
    except ValueError:  # another drive
        return file


def _is_policy(file: str, name: str) -> bool:
    try:
        if not os.path.isfile(file):
            return False
        if name == OWN:
            return True
        with open(file, "rb") as opened:
            content = opened.read(LARGEST)
    except OSError:
        return False
    return _WORD in content and _has_table(content)


def _has_table(content: bytes) -> bool:
    """Whether there is a table of ours, however it is spelled. A text that is no TOML has one if it looks like it."""
    try:
        tool = parse_toml(content.decode()).get("tool")
    except ValueError:  # of UTF-8 as well
        return _HEADER in content
    return isinstance(tool, dict) and "loadproof" in tool


def parse_toml(text: str) -> dict[str, object]:
    """The document. Raises ValueError for what is no TOML, and for what no policy holds and would take minutes to read."""
    import tomllib  # seldom needed: most projects do not say the word

    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _MOST_DOTS and _QUOTED.sub(_if_open, line).count(".") > _MOST_DOTS:
            raise ValueError(f"line {number:,} has more than {_MOST_DOTS} dots outside of quotes")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("values lie too deep in each other") from None


def _if_open(quoted: re.Match[str]) -> str:
    """What may be a key after all: a quote that the line does not close can be the end of a text of several lines."""
    return "" if quoted[1] or quoted[2] else quoted[0]


def _holds_checkpoint(folder: str) -> bool:
    return any(os.path.isfile(os.path.join(folder, name)) for name in _OF_CHECKPOINTS)
