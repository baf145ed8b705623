"""``loadproof check PATH``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loadproof.cli.options import EXIT_STATUS, add_failing, add_output, add_reading, parser_for, reading
from loadproof.cli.output import answer, failed, hint

if TYPE_CHECKING:
    from loadproof.core.case import Report

_DESCRIPTION = """\
Say whether the checkpoint at PATH will load with the right weights, and if not, why.
Only headers, indexes, config.json and the text of the model's source are read; nothing of it is run."""


def main(arguments: list[str]) -> int:
    """Check one checkpoint; returns the exit status of `EXIT_STATUS`."""
    options = _parse(arguments)
    from loadproof.api.checking import NoCheckpointError, check

    try:
        report = check(options.path, **reading(options))
    except (NoCheckpointError, ValueError) as error:
        return failed(str(error))
    return show(report, options)


def show(report: Report, options: argparse.Namespace) -> int:
    """Print a report as asked, and turn it into the exit status."""
    from loadproof.api.verdict import exit_status

    status = 0 if options.exit_zero else exit_status(report.verdict, report.findings, options.fail_on)
    said = answer(report, options, status)
    if said == status and options.format != "json" and not options.quiet:
        hint(summary(report))
    return said


def summary(report: Report) -> str:
    """``1 error, 0 warnings in 0.08 s``, and how many names no finding explains."""
    from loadproof.report.words import plural, total

    count = [finding.severity for finding in report.findings].count
    found = [plural(count("error"), "error"), plural(count("warning"), "warning")]
    if report.unexplained:
        found.append(f"{plural(total(report.unexplained), 'name')} unexplained")
    return f"{', '.join(found)} in {report.timings.total_s:.2f} s"


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = parser_for("check [options] PATH", _DESCRIPTION, arguments, EXIT_STATUS)
    parser.add_argument("path", metavar="PATH", help="a checkpoint folder, or one weight file")
    add_reading(parser)
    add_output(parser)
    add_failing(parser)
    return parser.parse_args(arguments)
