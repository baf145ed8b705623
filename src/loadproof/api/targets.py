"""What is to be checked: paths as they are given become checkpoints, many of them where a folder holds many."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from loadproof.formats.sniff import claims_weights

MOST_FOLDERS = 20_000  # folders that one search looks into
MOST_LEVELS = 12
_GLOB = re.compile(r"[*?\[]")
_NUMBER = re.compile(r"(\d+)")


class Targets(Struct, frozen=True):
    """The checkpoints in order, each once; `several` unless the user named exactly one."""

    paths: tuple[str, ...]
    several: bool
    problems: tuple[tuple[str, str], ...] = ()  # what led to no checkpoint, and why


def find_targets(words: Iterable[str], *, below: bool = False, files: bool = False) -> Targets:
    """The checkpoints that these paths, patterns and folders of checkpoints name.

    `below`: also what lies below a folder that is a checkpoint itself. `files`: the words are changed files of which
    the folder is meant, and those that belong to no checkpoint are passed over.
    """
    words = list(words)
    if files:
        return Targets(tuple(dict.fromkeys(_folders_of(words))), True)
    found: dict[str, None] = {}
    problems = []
    for word in words:
        paths, why = _of(word, below)
        found.update(dict.fromkeys(paths))
        problems += [(word, why)] if why else []
    alone = len(words) == 1 and tuple(found) in ((words[0],), ())
    return Targets(tuple(found), not alone, tuple(problems))


def _of(word: str, below: bool) -> tuple[list[str], str]:
    """The checkpoints of one word; with none, why there is none."""
    if _GLOB.search(word) and not os.path.lexists(word):
        from glob import glob

        matched = sorted(glob(word, recursive=True), key=natural)
        return [
            path for one in matched for path in _of_match(one, below)
        ], "" if matched else "no file matches this pattern"
    if not os.path.isdir(word) or (holds_checkpoint(_names(word)) and not below):
        return [word], ""
    return list(_below(word, below)) or [word], ""  # a folder without any: the check says what it lacks


def _of_match(path: str, below: bool) -> list[str]:
    """Of what a pattern matches only checkpoints count: ``runs/*`` matches logs as well."""
    if os.path.isdir(path):
        return list(_below(path, below))
    return [path] if claims_weights(os.path.basename(path)) else []


def _below(folder: str, whole: bool) -> Iterator[str]:
    """The folder if it is a checkpoint, else (with `whole`: as well) those below; links to folders are not followed."""
    waiting = [(folder, 0)]
    looked = 0
    while waiting and looked < MOST_FOLDERS:
        path, level = waiting.pop()
        names = _names(path)
        looked += 1
        is_one = holds_checkpoint(names)
        if is_one:
            yield path
        if level < MOST_LEVELS and (whole or not is_one):
            inner = (name if path == os.curdir else os.path.join(path, name) for name in names if name[0] != ".")
            folders = [one for one in inner if os.path.isdir(one) and not os.path.islink(one)]
            waiting += [(one, level + 1) for one in sorted(folders, key=natural, reverse=True)]


def holds_checkpoint(names: Iterable[str]) -> bool:
    """Whether these names of a folder are a checkpoint's: a config, weights, or an index of weights."""
    return any(name == "config.json" or claims_weights(name) or name.endswith(".index.json") for name in names)


def natural(path: str) -> tuple[tuple[int, int | str], ...]:
    """A key by which ``checkpoint-200`` comes before ``checkpoint-1000``."""
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in _NUMBER.split(path))


def _folders_of(files: Iterable[str]) -> Iterator[str]:
    for file in files:
        folder = file if os.path.isdir(file) else os.path.dirname(file) or "."
        if holds_checkpoint(_names(folder)):
            yield folder


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
