"""``loadproof diff A B``."""

from __future__ import annotations

import argparse

from loadproof.cli.options import Parser, add_format, add_reading, parsed, parser_for
from loadproof.cli.output import answer, failed
from loadproof.cli.policy import reading_for

_DESCRIPTION = """\
Show what differs between two checkpoints or revisions - names, shapes, dtypes, layer plan, config - and which
config fits which weights. Headers and configs are compared, the values of the weights are not read."""
_EPILOG = """\
exit status:
  0  nothing differs
  1  something does
  2  usage or internal error, or A or B is no checkpoint"""


def main(arguments: list[str]) -> int:
    """Compare two checkpoints."""
    options = _parse(arguments)
    from loadproof.api.checking import NoCheckpointError
    from loadproof.api.comparing import diff

    try:
        report = diff(options.first, options.second, **reading_for(options, options.first))
    except (NoCheckpointError, ValueError) as error:
        return failed(str(error))
    return answer(report, options, 0 if report.same else 1)


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("diff [options] A B", _DESCRIPTION, arguments, _EPILOG)
    made.add_argument("first", metavar="A", help="a checkpoint folder, or one weight file")
    made.add_argument("second", metavar="B", help="another one")
    add_reading(made)
    group = add_format(made, "diff", output=True)
    group.add_argument("-v", "--verbose", action="store_true", help="every difference")
    return made


def _parse(arguments: list[str]) -> argparse.Namespace:
    made = parser(arguments)
    return parsed(made, arguments)
