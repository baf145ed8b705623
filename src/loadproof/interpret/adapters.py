"""`foretell`: what peft makes of an adapter on a base, read from the text of a release."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from loadproof.core.expectation import Expectation
from loadproof.interpret import cache
from loadproof.interpret.release.locate import find_package, find_source, version_of
from loadproof.interpret.worlds.peft.question import Answer, Question

if TYPE_CHECKING:
    from loadproof.interpret.release.disk import Disk
    from loadproof.interpret.worlds.peft.world import PeftWorld

PEFT, MARK = "peft", "peft_model.py"
_INSTALL = 'pip install "loadproof[peft]"'


class Releases(NamedTuple):
    """The package folders of the two libraries."""

    peft: str
    transformers: str
    is_trusted: bool  # both are the installed ones, or were called so

    @property
    def version(self) -> str:
        return version_of(self.peft)


def find_releases(source: str | None, *, is_trusted: bool = False) -> Releases | None:
    """The installed release of peft, or the one in the folder `source`, beside the installed transformers (or that in
    `source`); None where one of them is not found."""
    peft = find_package(PEFT, MARK, source)
    beside = find_source(source) if source is not None else None
    transformers = beside or find_source(None)
    if peft is None or transformers is None:
        return None
    installed = find_package(PEFT, MARK, None)
    ours = installed is not None and os.path.realpath(installed) == os.path.realpath(peft) and beside is None
    return Releases(peft, transformers, is_trusted or ours)


def blank(source: str | None) -> Expectation:
    """What is known of the library alone: its release, or why there is none."""
    releases = find_releases(source)
    if releases is not None:
        return Expectation(PEFT, releases.version, "", "", "installed")
    if source is not None:
        raise ValueError(f"{source}: no peft source there (give the folder that holds {MARK})")
    lacking = PEFT if find_package(PEFT, MARK, None) is None else "transformers"
    why = f"no {lacking} source found: what peft makes of an adapter is not known"
    return Expectation(PEFT, "", "", "", "none", inconclusive=why, hint=_INSTALL)


def foretell(
    question: Question,
    *,
    source: str | None = None,
    use_cache: bool = True,
    is_trusted: bool = False,
    without_wall: bool = False,
) -> Answer:
    """What `PeftModel.from_pretrained` does. Never raises on what it reads; what cannot be told is `inconclusive`.

    A release that is not the installed one is evaluated in a process of its own behind the operating system's wall,
    unless it `is_trusted`.
    """
    releases = find_releases(source, is_trusted=is_trusted)
    if releases is None:
        return Answer(inconclusive="no source of peft and transformers found")
    key = _key(releases, question) if use_cache else ""
    known = cache.load(key, Answer) if key else None
    if known is not None:
        return known
    return _here(releases, question, key) if releases.is_trusted else _apart(releases, question, key, without_wall)


def _key(releases: Releases, question: Question) -> str:
    roots = [os.path.realpath(releases.peft), os.path.realpath(releases.transformers), releases.is_trusted]
    return cache.key_of_answer("adapter", roots, releases.version, msgspec.to_builtins(question))


@lru_cache(maxsize=2)
def _world(releases: Releases) -> tuple[PeftWorld, Disk]:
    """The world of trusted releases; its parsed files are shared by all adapters of a process."""
    from loadproof.interpret.worlds.peft.world import PeftWorld

    disk = _disk(releases)
    return PeftWorld(disk, asks_the_machine=True), disk


def _disk(releases: Releases) -> Disk:
    from loadproof.interpret.release.disk import on_disk

    packages = {PEFT: (releases.peft, releases.is_trusted)}
    return on_disk(releases.transformers, is_trusted=releases.is_trusted, packages=packages)


def _here(releases: Releases, question: Question, key: str) -> Answer:
    from loadproof.interpret.worlds.peft.predict import predict

    world, disk = _world(releases)
    answer = predict(world, question)
    if key and answer.inconclusive is None:
        cache.store(key, disk.seen, answer, world.asked)
    return answer


def _apart(releases: Releases, question: Question, key: str, without_wall: bool) -> Answer:
    from loadproof.interpret.sandbox.limits import RELEASE_SECONDS
    from loadproof.interpret.sandbox.parent import Child
    from loadproof.interpret.sandbox.task import Task

    disk = _disk(releases)
    empty = Expectation(PEFT, releases.version, "", "", "installed")
    task = Task("adapter", msgspec.to_builtins(question), None, empty)
    with Child(RELEASE_SECONDS) as child:
        found = child.ask(task, disk, without_wall=without_wall)
    if found.inconclusive is not None:
        return Answer(inconclusive=found.inconclusive)
    try:
        answer = msgspec.convert(found.config.get("answer"), Answer)
    except msgspec.ValidationError:
        return Answer(inconclusive="what the source of peft makes cannot be told")
    if key and answer.inconclusive is None:
        cache.store(key, disk.seen, answer)
    return answer
