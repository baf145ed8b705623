"""Completion for fish."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loadproof.cli.shells.describe import Command, Option


def script(commands: Sequence[Command], codes: Sequence[str]) -> str:
    """The whole script."""
    return "".join(f"{line}\n" for line in _lines(commands, codes))


def _lines(commands: Sequence[Command], codes: Sequence[str]) -> Iterator[str]:
    yield "# loadproof completion for fish: loadproof completion fish > ~/.config/fish/completions/loadproof.fish"
    yield "complete -c loadproof -e"
    yield f"set -g __loadproof_codes {' '.join(codes)}"
    for command in commands:
        yield f"complete -c loadproof -f -n __fish_use_subcommand -a {command.name} -d {_quoted(command.meaning)}"
    yield "complete -c loadproof -f -n __fish_use_subcommand -l help -d 'show the commands'"
    yield "complete -c loadproof -f -n __fish_use_subcommand -l version -d 'show the version'"
    for command in commands:
        seen = f"complete -c loadproof -n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            yield f"{seen} {_flags(option)}{_value(option)} -d {_quoted(option.meaning)}"
        yield from (f"{seen} {_value(place).strip()}" for place in command.places if place.takes in ("codes", "words"))


def _flags(option: Option) -> str:
    return " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)


def _value(option: Option) -> str:
    if option.takes == "nothing":
        return ""
    if option.takes == "codes":
        return " -r -a '$__loadproof_codes'" if option.flags else " -a '$__loadproof_codes'"
    if option.words:
        return f" -x -a {_quoted(' '.join(option.words))}"
    return {"folder": " -x -a '(__fish_complete_directories)'", "file": " -r -F"}.get(option.takes, " -x")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
