"""``loadproof baseline PATH ...``."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from loadproof.cli.options import Parser, add_format, add_reading, parser_for
from loadproof.cli.output import answer, failed
from loadproof.cli.policy import Policies
from loadproof.cli.streams import write
from loadproof.cli.targets import add_targets, check_targets, targets_from

if TYPE_CHECKING:
    from loadproof.core.policy import BaselineEntry

_DESCRIPTION = """\
Accept what is found today: write the findings on the checkpoints at PATH to a file that 'loadproof check --baseline FILE' reads.
A finding is known by its code, files and names, not by where the folder lies. Reasons that you write into the file are kept."""
_EPILOG = "exit status: 0 the file was written, 2 a path is no checkpoint, or the file cannot be written"


def main(arguments: list[str]) -> int:
    """Write the file; exit 0 when it was written, 2 where a path is no checkpoint or the file cannot be written."""
    options = _parse(arguments)
    from loadproof.core.policy import BaselineFile
    from loadproof.policy.baseline import DEFAULT_NAME, entries_of
    from loadproof.report.baseline_json import render_baseline_json

    try:
        policies = Policies(options, reads_baseline=False)  # it may not be there yet; what it accepts is found again
        file = options.output or policies.of(".").baseline or DEFAULT_NAME
        before = _before(file)
        checks = check_targets(targets_from(options), policies)
    except ValueError as error:
        return failed(str(error))
    if wrong := [target.error for target in checks.targets if target.report is None]:
        return failed(wrong[0])
    entries = entries_of(checks, file, before)
    kept = {(entry.target, entry.fingerprint) for entry in entries}
    written = BaselineFile(file, entries, tuple(one for one in before if (one.target, one.fingerprint) not in kept))
    try:
        write(render_baseline_json(written), file)
    except OSError as error:
        return failed(f"{file}: {error.strerror}")
    return answer(written, options, 0)


def _before(file: str) -> tuple[BaselineEntry, ...]:
    """What the file accepts now. Raises `PolicyError` for a file that is no baseline: it is not overwritten."""
    from loadproof.policy.baseline import read_baseline

    return read_baseline(file).entries if os.path.exists(file) else ()


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("baseline [options] PATH ...", _DESCRIPTION, arguments, _EPILOG)
    add_targets(made)
    made.add_argument("--output", metavar="FILE", help="default: the policy's baseline, else loadproof-baseline.json")
    add_reading(made)
    add_format(made, "baseline")
    return made


def _parse(arguments: list[str]) -> argparse.Namespace:
    made = parser(arguments)
    options = made.parse_intermixed_args(arguments)
    if not options.paths and not options.source_list:
        made.error("the following arguments are required: PATH")
    return options
