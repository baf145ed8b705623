"""``loadproof`` and ``loadproof --help``: the list of commands."""

from __future__ import annotations

import argparse
import sys
from difflib import get_close_matches

from loadproof.cli.options import formatter
from loadproof.cli.output import failed

_EPILOG = "'loadproof COMMAND --help' shows the options of a command."


def overview(arguments: list[str], known: dict[str, str]) -> int:
    """Print the help with the `known` commands (exit 0 when asked for it, 2 for a missing or unknown command)."""
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
    close = get_close_matches(word, known, n=1)
    what = "option" if word.startswith("-") else "command"
    hint = f"; did you mean '{close[0]}'?" if close else "; 'loadproof --help' lists them"
    return f"there is no {what} '{word}'{hint}"
