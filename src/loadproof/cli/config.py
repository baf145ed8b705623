"""``loadproof config [PATH]``."""

from __future__ import annotations

import argparse
import os

from loadproof.cli.options import Parser, add_config, add_format, parser_for
from loadproof.cli.output import answer, failed
from loadproof.cli.policy import Policies

_DESCRIPTION = """\
Show the settings that are in force here, or for the checkpoint at PATH, and where each of them stands: in [tool.loadproof] of
pyproject.toml, in loadproof.toml, or nowhere. docs/ci.md lists the keys."""
_EPILOG = "exit status: 0, or 2 for a usage error or a policy file that cannot be used"


def main(arguments: list[str]) -> int:
    """Print every key; exit 0, 2 where a file cannot be used."""
    options = _parse(arguments)
    from loadproof.core.policy import Settings

    try:
        policies = Policies(options)
    except ValueError as error:
        return failed(str(error))
    settings = policies.settings(options.path or os.curdir)
    return answer(
        Settings(policies.found.file, options.path, tuple(settings.values()), policies.found.passed_over), options, 0
    )


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("config [options] [PATH]", _DESCRIPTION, arguments, _EPILOG)
    made.add_argument("path", metavar="PATH", nargs="?", help="a checkpoint, for what overrides say of it")
    add_config(made.add_argument_group("policy"))
    add_format(made, "config")
    return made


def _parse(arguments: list[str]) -> argparse.Namespace:
    made = parser(arguments)
    return made.parse_args(arguments)
