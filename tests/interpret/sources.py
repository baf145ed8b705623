"""Tiny own sources, evaluated the way a repository's code is."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

from loadproof.interpret.building import room_to_recurse
from loadproof.interpret.release.disk import on_disk
from loadproof.interpret.release.world import World


def world_of(folder: Path, **files: str) -> World:
    """A world whose module `remote.<name>` is each of the given texts, over an empty release."""
    release = folder / "release"
    release.mkdir(exist_ok=True)
    code = folder / "code"
    code.mkdir(exist_ok=True)
    for name, text in files.items():
        (code / f"{name}.py").write_text(dedent(text))
    return World(on_disk(str(release), str(code), is_trusted=False))


def evaluate_released(folder: Path, text: str, name: str = "result") -> Any:
    """The value of a name of a release's module: unlike remote code it is read name by name, as it is known to import."""
    world = world_of(folder)
    (folder / "release" / "program.py").write_text(dedent(text))
    with room_to_recurse():
        return world.load("transformers.program", name)


def evaluate(folder: Path, text: str, name: str = "result") -> Any:
    """The value that the text gives to `name`."""
    world = world_of(folder, program=text)
    with room_to_recurse():
        return world.load("remote.program", name)
