"""Which classes of a release resemble some stored names: a cheap order of all, for those who then read the best few.

The words of the names are held against the words that the text of each modeling file puts into names. That only ranks:
whether a class fits is said by its expectation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import log

from msgspec import Struct

from loadproof.core.expectation import Kin
from loadproof.interpret import building, cache
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.release import module_words
from loadproof.interpret.release.auto_classes import folder_of
from loadproof.interpret.release.class_choice import classes_of
from loadproof.interpret.release.locate import find_source, is_installed, version_of
from loadproof.interpret.release.seen import Seen
from loadproof.interpret.release.world import World

_KEY = "index of classes"  # in the place of a class name, which has no blanks
_OF_OTHERS = 0.25  # what a word counts that may be one of a part which the configuration chooses
_LEAVES = frozenset(("weight", "bias"))
_WORD = re.compile(r"[A-Za-z_]\w*")


class Indexed(Struct, frozen=True):
    """One class of the release with the words of its names."""

    kin: Kin
    words: tuple[str, ...]  # its own
    older: tuple[str, ...]  # those that its conversion rules take as well
    followers: int  # families that are written after its own
    is_open: bool  # parts of it are of classes that the configuration names


def alike(names: Iterable[str], source: str | None, use_cache: bool = True) -> Iterator[Kin]:
    """The classes of the installed release whose words are most like those of `names`, the best first.

    Nothing where the release is none or not the installed one: strangers' text is not looked through in this process.
    """
    root = find_source(source)
    stored = {word for name in names for word in _WORD.findall(name.replace("{}", "."))} - _LEAVES
    if root is None or not is_installed(root) or not stored:
        return
    index = _index(root, use_cache)
    rarity = _rarities(index)
    ranked = sorted(index, key=lambda entry: (-round(_likeness(entry, stored, rarity), 2), -entry.followers))
    yield from (entry.kin for entry in ranked)


def _rarities(index: tuple[Indexed, ...]) -> dict[str, float]:
    counts = Counter(word for entry in index for word in entry.words)
    return {word: log(1 + len(index) / count) for word, count in counts.items()}


def _likeness(entry: Indexed, stored: set[str], rarity: dict[str, float]) -> float:
    """Twice the common words over all, each counted by how rare it is in the release."""

    def weight(words: set[str]) -> float:
        return sum(rarity.get(word, 1.0) for word in words)

    own = set(entry.words)
    common = weight(own & stored)
    unknown = weight(stored - own - set(entry.older)) * (_OF_OTHERS if entry.is_open else 1)
    return 2 * common / (2 * common + unknown + weight(own - stored)) if common else 0.0


def _index(root: str, use_cache: bool) -> tuple[Indexed, ...]:
    key = cache.key_of(root, version_of(root), "", {}, _KEY) if use_cache else ""
    known = cache.load(key, tuple[Indexed, ...]) if key else None
    if known is not None:
        return known
    made, seen = _read(root)
    if key:
        cache.store(key, seen, made)
    return made


@lru_cache(maxsize=2)
def _read(root: str) -> tuple[tuple[Indexed, ...], tuple[Seen, ...]]:
    """The index as the source says it, read once in a process, and the files that it came from."""
    world, disk = building.release(root)
    with building.room_to_recurse():
        return tuple(_built(world)), disk.seen


def _built(world: World) -> Iterator[Indexed]:
    world.begin("")
    older = module_words.stored_words(world)
    folders = {kind: folder for kind in world.config_names if (folder := _folder(world, kind))}
    followers = module_words.followers(world, sorted(set(folders.values())))
    for kind, folder in folders.items():
        classes = classes_of(world, kind)
        known, copies = tuple(sorted(older.get(kind, ()))), followers.get(folder, 0)
        for name, (words, is_open) in module_words.words_of(world, folder, classes).items():
            yield Indexed(Kin(kind, name), tuple(sorted(words)), known, copies, is_open)


def _folder(world: World, kind: str) -> str:
    try:
        return folder_of(world, kind)
    except NotUnderstood:
        return ""
