"""``loadproof`` and ``loadproof --help``: the list of commands."""

from __future__ import annotations

import argparse
import sys

from loadproof.cli.asked import note
from loadproof.cli.options import formatter
from loadproof.cli.output import failed
from loadproof.core.near import did_you_mean

_EPILOG = "'loadproof COMMAND --help' shows the options of a command."


def overview(arguments: list[str], known: dict[str, str]) -> int:
    """Print the help with the `known` commands (exit 0 when asked for it, 2 for a missing or unknown command)."""
    note(arguments)
    parser = argparse.ArgumentParser(
        prog="loadproof",
        usage="loadproof COMMAND [options]",
        description="Tells before loading whether a checkpoint will load with the right weights in the right places.",
        epilog=_EPILOG,
        formatter_class=formatter(arguments),
    )
    parser.add_argument("-V", "--version", action="store_true", help="show the version and exit")
    commands = parser.add_argument_group("commands")
    for name, text in known.items():
        commands.add_argument(name, help=text, nargs="?")
    if "-h" in arguments or "--help" in arguments:
        parser.print_help()
        return 0
    if not arguments:
        parser.print_help(sys.stderr)
        return 2
    return failed(_unknown(arguments[0], known))


def _unknown(word: str, known: dict[str, str]) -> str:
    what = "option" if word.startswith("-") else "command"
    return f"there is no {what} '{word}'" + did_you_mean(word, known, "; 'loadproof --help' lists them")
