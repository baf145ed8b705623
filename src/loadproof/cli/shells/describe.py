"""What there is to complete: the commands, their options and what each takes."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module
from typing import Literal

from msgspec import Struct

Takes = Literal["nothing", "words", "codes", "file", "folder", "text"]
_BY_METAVAR: dict[str, Takes] = {"DIR": "folder", "CODE": "codes", "CODES": "codes"}
_FILES = ("FILE", "PATH", "A", "B")


class Option(Struct, frozen=True):
    """`flags` are empty for what stands without an option; `words` are its choices, where it has some."""

    flags: tuple[str, ...]
    meaning: str
    takes: Takes
    words: tuple[str, ...] = ()
    metavar: str = ""


class Command(Struct, frozen=True):
    name: str
    meaning: str
    options: tuple[Option, ...]
    places: tuple[Option, ...]  # what stands without an option


def described(commands: Mapping[str, str]) -> list[Command]:
    """Every command as its own parser has it."""
    return [_command(name, meaning) for name, meaning in commands.items()]


def codes() -> tuple[str, ...]:
    """What may be given as a code: codes and slugs."""
    from loadproof.api.pages import rules

    listed = rules().rules
    return (*(rule.code for rule in listed), *(rule.slug for rule in listed))


def _command(name: str, meaning: str) -> Command:
    parser: argparse.ArgumentParser = import_module(f"loadproof.cli.{name}").parser([])
    options = [_option(action) for action in parser._actions]
    return Command(
        name,
        meaning,
        tuple(option for option in options if option.flags),
        tuple(option for option in options if not option.flags),
    )


def _option(action: argparse.Action) -> Option:
    words = tuple(map(str, action.choices or ()))
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    takes: Takes = "nothing" if action.nargs == 0 else "words" if words else _taken(metavar)
    return Option(tuple(action.option_strings), _plain(action.help or ""), takes, words, metavar)


def _taken(metavar: str) -> Takes:
    """Of several that may stand there, codes: files are offered beside them."""
    parts = metavar.split(" | ")
    if known := next((_BY_METAVAR[part] for part in parts if part in _BY_METAVAR), None):
        return known
    return "file" if any(part in _FILES for part in parts) else "text"


def _plain(text: str) -> str:
    """One line, without what a default adds."""
    return " ".join(text.replace("%%", "%").split())
