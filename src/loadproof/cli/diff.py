"""``loadproof diff A B``."""

from __future__ import annotations

import argparse
import sys

from loadproof.cli.options import add_color, add_reading, parser_for, reading
from loadproof.cli.output import color_for, failed, write

_DESCRIPTION = """\
Show what differs between two checkpoints or revisions - names, shapes, dtypes, layer plan, config - and which
config fits which weights. Headers and configs are compared, the values of the weights are not read."""
_EPILOG = "exit status: 0 nothing differs, 1 something does, 2 usage or internal error"


def main(arguments: list[str]) -> int:
    """Compare two checkpoints."""
    options = _parse(arguments)
    from loadproof.api.checking import NoCheckpointError
    from loadproof.api.comparing import diff
    from loadproof.cli.diff_text import render_diff
    from loadproof.report.style import terminal_width

    try:
        report = diff(options.first, options.second, **reading(options))
    except (NoCheckpointError, ValueError) as error:
        return failed(str(error))
    color, width = color_for(options.color, None), terminal_width(sys.stdout)
    write(render_diff(report, verbose=options.verbose, color=color, width=width))
    return 0 if report.same else 1


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = parser_for("diff [options] A B", _DESCRIPTION, arguments, _EPILOG)
    parser.add_argument("first", metavar="A", help="a checkpoint folder, or one weight file")
    parser.add_argument("second", metavar="B", help="another one")
    add_reading(parser)
    group = parser.add_argument_group("how to report")
    group.add_argument("-v", "--verbose", action="store_true", help="every difference")
    add_color(group)
    return parser.parse_args(arguments)
