"""``loadproof`` and ``loadproof --help``: the list of commands."""

from __future__ import annotations

import argparse
import sys

from loadproof.cli.main import COMMANDS, USAGE_ERROR
from loadproof.cli.options import formatter

_EPILOG = "'loadproof COMMAND --help' shows the options of a command."


def overview(arguments: list[str]) -> int:
    """Print the help (exit 0 when asked for it, 2 for a missing or unknown command)."""
    parser = argparse.ArgumentParser(
        prog="loadproof",
        description="Tells before loading whether a checkpoint will load with the right weights in the right places.",
        epilog=_EPILOG,
        formatter_class=formatter(arguments),
    )
    parser.add_argument("-V", "--version", action="store_true", help="show the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog="loadproof")
    for name, text in COMMANDS.items():
        commands.add_parser(name, help=text)
    if not arguments:
        parser.print_help(sys.stderr)
        return USAGE_ERROR
    parser.parse_args(arguments)
    return USAGE_ERROR
