"""``loadproof plan PATH``."""

from __future__ import annotations

import argparse

from loadproof.cli.options import Parser, add_format, add_reading, parsed, parser_for
from loadproof.cli.output import answer, failed
from loadproof.cli.policy import reading_for

_DESCRIPTION = """\
Print the layer plan, one letter per layer: what config.json says against what the tensors are.
Sliding and full attention store the same tensors: a plan that confuses these two cannot be seen."""
_EPILOG = """\
exit status:
  0  the plans agree
  1  they differ
  2  usage or internal error, or there is no checkpoint at PATH
  3  one of them says nothing, or the release that was asked for is not there"""


def main(arguments: list[str]) -> int:
    """Print both plans; the exit status says whether they agree."""
    options = _parse(arguments)
    from loadproof.api.checking import NoCheckpointError
    from loadproof.api.planning import plan

    try:
        report = plan(options.path, **reading_for(options, options.path))
    except (NoCheckpointError, ValueError) as error:
        return failed(str(error))
    return answer(report, options, 3 if report.same is None else 0 if report.same else 1)


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("plan [options] PATH", _DESCRIPTION, arguments, _EPILOG)
    made.add_argument("path", metavar="PATH", help="a checkpoint folder, or one weight file")
    add_reading(made, base=False)
    add_format(made, "plan", output=True)
    return made


def _parse(arguments: list[str]) -> argparse.Namespace:
    made = parser(arguments)
    return parsed(made, arguments)
