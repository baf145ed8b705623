"""``loadproof rules``."""

from __future__ import annotations

import argparse

from loadproof.cli.options import Parser, add_format, parser_for
from loadproof.cli.output import answer

_DESCRIPTION = "List every known fault. 'loadproof explain LP301' shows the page of one."
_EPILOG = "exit status: 0, or 2 for a usage error"


def main(arguments: list[str]) -> int:
    """Print one line per code."""
    options = _parse(arguments)
    from loadproof.api.pages import rules

    return answer(rules(), options, 0)


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("rules [options]", _DESCRIPTION, arguments, _EPILOG)
    add_format(made, "rules")
    return made


def _parse(arguments: list[str]) -> argparse.Namespace:
    made = parser(arguments)
    return made.parse_args(arguments)
