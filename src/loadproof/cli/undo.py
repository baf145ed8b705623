"""``loadproof undo PATH``."""

from __future__ import annotations

import argparse

from loadproof.cli.options import parser_for
from loadproof.cli.output import failed, write
from loadproof.report.escape import clean

_DESCRIPTION = """\
Take the last repair of a checkpoint back, byte for byte; or bring an interrupted one to its end."""


def main(arguments: list[str]) -> int:
    """Undo; exit 0 when it was taken back, 1 when there is nothing to undo or it cannot be, 2 for a wrong path."""
    options = _parse(arguments)
    from loadproof.api.checking import NoCheckpointError
    from loadproof.api.fixing import RepairError, undo

    try:
        done = undo(options.path)
    except RepairError as error:
        failed(str(error))
        return 1
    except NoCheckpointError as error:
        return failed(str(error))
    files = ", ".join(done.files) or "nothing"
    write(f"taken back: {clean('; '.join(done.notes) or 'the last repair')}\nrestored:   {clean(files)}\n")
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = parser_for("undo PATH", _DESCRIPTION, arguments)
    parser.add_argument("path", metavar="PATH", help="the repaired checkpoint")
    return parser.parse_args(arguments)
