"""``loadproof undo PATH``."""

from __future__ import annotations

import argparse

from loadproof.cli.options import Parser, add_format, parser_for
from loadproof.cli.output import answer, failed, rendered
from loadproof.cli.repairing import add_adopting, refused, show_adopted, write_done

_DESCRIPTION = """\
Undo the last repair of a checkpoint, byte for byte, or finish one that was interrupted.
Repairs are undone one at a time, the latest first."""
_EPILOG = """\
exit status:
  0  a repair was taken back, or the repairs were made final (--forget)
  1  there is nothing to undo, or it was refused; nothing was touched
  2  usage or internal error, or there is no folder at PATH"""


def main(arguments: list[str]) -> int:
    """Undo; returns the exit status of `_EPILOG`."""
    options = _parse(arguments)
    from loadproof.api.checking import NoCheckpointError
    from loadproof.api.fixing import RepairError, forget, undo
    from loadproof.core.repairs import Forgotten

    try:
        if options.adopt_records:
            show_adopted(options.path)
        if options.forget:
            return answer(Forgotten(forget(options.path, adopt_records=options.adopt_records)), options, 0)
        done = undo(options.path, adopt_records=options.adopt_records)
    except RepairError as error:
        return refused(error)
    except NoCheckpointError as error:
        return failed(str(error))
    write_done(rendered(done, options, options.format), done, "the repair was taken back")
    return 0


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("undo [options] PATH", _DESCRIPTION, arguments, _EPILOG)
    made.add_argument("path", metavar="PATH", help="the repaired checkpoint")
    made.add_argument(
        "--forget",
        action="store_true",
        help="undo nothing: make the repairs final, and remove the undo records and the old files kept for them",
    )
    add_adopting(made)
    add_format(made, "undo")
    return made


def _parse(arguments: list[str]) -> argparse.Namespace:
    made = parser(arguments)
    return made.parse_args(arguments)
