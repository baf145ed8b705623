"""The words that a release's modeling files put into names of tensors, found without evaluating anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loadproof.interpret.release.class_index import text_of
from loadproof.interpret.release.files import RELEASE
from loadproof.interpret.release.ports import World

_CLASS = re.compile(r"^class (\w+)\b|^([A-Z][A-Z_0-9]+) = \{", re.M)  # a table of classes counts as one
_MODULE = re.compile(r"\bself\.(\w+)(?: *:[^=\n]+)? *= *(?:nn\.|[A-Z])")
_CHOSEN = re.compile(r"= *AutoModel\w*\.from_config\(")
_NAME = re.compile(r"\b[A-Z]\w+")
_QUOTED = re.compile(r'"([^"\n]+)"')
_ENTRY = re.compile(r'^        "(\w+)": \[(.*?)^        \],', re.M | re.S)
_ALIAS = re.compile(r'^    "(\w+)": "(\w+)",', re.M)
_WORD = re.compile(r"[A-Za-z_]\w*")
_OTHER_FRAMEWORKS = ("modeling_tf_", "modeling_flax_")
Words = frozenset[str]


def words_of(world: World, folder: str, classes: Iterable[str]) -> dict[str, tuple[Words, bool]]:
    """Class -> the modules and parameters that it and the classes named in it assign to `self`, and whether one of them
    holds a module whose class the configuration chooses."""
    bodies = dict(_bodies(world, folder))
    found = {name: _reached(bodies, name) for name in classes if name in bodies}
    return {
        name: (frozenset(word for body in reached for word in _MODULE.findall(body)), any(map(_CHOSEN.search, reached)))
        for name, reached in found.items()
    }


def _reached(bodies: dict[str, str], start: str) -> list[str]:
    waiting, seen = [start], {start}
    for name in waiting:
        new = {name for name in _NAME.findall(bodies[name]) if name in bodies} - seen
        seen |= new
        waiting.extend(sorted(new))
    return [bodies[name] for name in waiting]


def _bodies(world: World, folder: str) -> Iterator[tuple[str, str]]:
    where = f"{RELEASE}/models/{folder.replace('.', '/')}"
    for file in world.files.list(where):
        if file.startswith("modeling_") and file.endswith(".py") and not file.startswith(_OTHER_FRAMEWORKS):
            text = text_of(world, f"{where}/{file}")
            found = list(_CLASS.finditer(text))
            ends = [begin.start() for begin in found[1:]] + [len(text)]
            yield from ((m[1] or m[2], text[m.start() : end]) for m, end in zip(found, ends, strict=True))


def stored_words(world: World) -> dict[str, Words]:
    """Model type -> the words of its older names, which the release's conversion rules still take."""
    text = text_of(world, f"{RELEASE}/conversion_mapping.py")
    own = {kind: frozenset(_WORD.findall(" ".join(_QUOTED.findall(body)))) for kind, body in _ENTRY.findall(text)}
    return own | {kind: own[other] for kind, other in _ALIAS.findall(text) if other in own}


def followers(world: World, folders: Iterable[str]) -> dict[str, int]:
    """Folder -> how many other families are written after it, as their modular files say."""
    counts: dict[str, int] = {}
    for folder in folders:
        text = text_of(world, f"{RELEASE}/models/{folder.replace('.', '/')}/modular_{folder}.py")
        for other in set(re.findall(r"^from \.\.(\w+)\.modeling_", text, re.M)):
            counts[other] = counts.get(other, 0) + 1
    return counts
