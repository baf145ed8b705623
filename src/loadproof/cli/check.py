"""``loadproof check PATH ...``."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from loadproof.cli.options import (
    EXIT_STATUS,
    add_failing,
    add_output,
    add_reading,
    outputs_of,
    parsed,
    parser_for,
    reading,
)
from loadproof.cli.output import answer, failed
from loadproof.cli.streams import hint

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from loadproof.api.targets import Targets
    from loadproof.core.case import Report
    from loadproof.core.pages import CausesPage, RulePage
    from loadproof.core.results import Checks

_DESCRIPTION = """\
Say whether the checkpoints at PATH will load with the right weights, and if not, why.
Only headers, indexes, config.json and the text of the model's source are read; nothing of it is run."""
_FOR_MACHINES = ("json", "sarif", "gitlab", "junit")  # a hint beside them would be one line too many in a log
_WITH_PAGES = ("sarif",)
USAGE_ERROR = 2


def main(arguments: list[str]) -> int:
    """Check one checkpoint or many; returns the exit status of `EXIT_STATUS`, of many the worst."""
    options = _parse(arguments)
    try:
        targets = _targets(options)
    except (OSError, ValueError) as error:
        return failed(str(error))
    return _check_all(targets, options) if targets.several else _check_one(options)


def _check_one(options: argparse.Namespace) -> int:
    from loadproof.api.checking import NoCheckpointError, check

    try:
        report = check(options.paths[0], **reading(options))
    except (NoCheckpointError, ValueError) as error:
        return failed(str(error))
    return show(report, options)


def _check_all(targets: Targets, options: argparse.Namespace) -> int:
    from loadproof.api.checking import check
    from loadproof.api.many import check_all

    try:
        checks = check_all(
            targets, lambda path: check(path, **reading(options)), lambda report: _status(report, options), _say_next
        )
    except ValueError as error:
        return failed(str(error))
    return show(checks, options)


def _say_next(number: int, path: str) -> None:
    """Which one is being read, where somebody watches; the next line of the report takes its place."""
    if getattr(sys.stderr, "isatty", bool)():
        from loadproof.report.escape import clean

        sys.stderr.write(f"\r\x1b[K{number + 1}: {clean(path, 100)}\r")


def show(result: Report | Checks, options: argparse.Namespace) -> int:
    """Print what was found as asked, and turn it into the exit status."""
    status = _status(result, options) if is_one(result) else result.status
    forms = [form for form, _ in outputs_of(options)]
    said = answer(result, options, status, fail_on=options.fail_on, pages=_pages(result, forms))
    if said != status:
        return said
    if "github" in forms:
        _summarise(result, status)
    if not options.quiet and not any(form in _FOR_MACHINES for form in forms):
        hint(summary(*_reports(result)))
    return 0 if options.exit_zero and status != USAGE_ERROR else status


def _summarise(result: Report | Checks, status: int) -> None:
    """Append the Markdown report to the page that GitHub shows of this step, where there is one."""
    page = os.environ.get("GITHUB_STEP_SUMMARY")
    if not page:
        return
    from loadproof.report.markdown import render_markdown

    try:
        with open(page, "a", encoding="utf-8") as file:
            file.write(render_markdown(result, status=status))
    except OSError as error:
        hint(f"loadproof: the step summary could not be written: {error.strerror}")


def _pages(result: Report | Checks, forms: list[str]) -> dict[str, RulePage | CausesPage]:
    """What is known of the codes that occur, for the formats that show it."""
    if not any(form in _WITH_PAGES for form in forms):
        return {}
    from loadproof.api.pages import page

    codes = {finding.code for report in _reports(result) for finding in report.findings}
    return {code: found for code in codes if (found := page(code)) is not None}


def _status(report: Report, options: argparse.Namespace) -> int:
    from loadproof.api.verdict import status_of

    return status_of(report, options.fail_on, allow_inconclusive=options.allow_inconclusive)


def is_one(result: Report | Checks) -> TypeIs[Report]:
    """Whether one checkpoint was checked; asked by its kind, so that a check of one does not import the other."""
    return result.kind != "checks"


def _reports(result: Report | Checks) -> list[Report]:
    if is_one(result):
        return [result]
    return [target.report for target in result.targets if target.report is not None]


def summary(*reports: Report) -> str:
    """``1 error, 0 warnings in 0.08 s``, and how many names no finding explains."""
    from loadproof.report.words import plural, total

    count = [finding.severity for report in reports for finding in report.findings].count
    found = [plural(count("error"), "error"), plural(count("warning"), "warning")]
    if rows := [row for report in reports for row in report.unexplained]:
        found.append(f"{plural(total(rows), 'name')} unexplained")
    return f"{', '.join(found)} in {sum(report.timings.total_s for report in reports):.2f} s"


def _targets(options: argparse.Namespace) -> Targets:
    """What to check. Raises OSError or ValueError where a list of paths cannot be read, or names nothing."""
    from loadproof.api.targets import find_targets

    words = [*options.paths, *(_listed(options.source_list) if options.source_list else ())]
    return find_targets(words, below=options.recursive, files=options.changed_files)


def _listed(source: str) -> list[str]:
    """The lines of a file or of standard input, without empty ones and comments."""
    if source == "-":
        lines = sys.stdin.read().splitlines() if sys.stdin is not None else []
    else:
        try:
            with open(source, encoding="utf-8", errors="surrogateescape") as file:
                lines = file.read().splitlines()
        except OSError as error:
            raise ValueError(f"{source}: {error.strerror or type(error).__name__}") from None
    found = [line for line in lines if line.strip() and not line.startswith("#")]
    if not found:
        raise ValueError(f"{'standard input' if source == '-' else source}: no path in it; one a line is expected")
    return found


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = parser_for("check [options] PATH ...", _DESCRIPTION, arguments, EXIT_STATUS)
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="a checkpoint folder, one weight file, a folder of checkpoints, or a pattern",
    )
    which = parser.add_argument_group("what to check")
    which.add_argument(
        "--from", metavar="FILE", dest="source_list", help='paths from FILE, one a line ("-": standard input)'
    )
    which.add_argument(
        "-r", "--recursive", action="store_true", help="also what lies below a folder that is a checkpoint"
    )
    which.add_argument(
        "--changed-files", action="store_true", help="the paths are changed files: check the folder of each once"
    )
    add_reading(parser)
    add_output(parser)
    add_failing(parser)
    options = parsed(parser, arguments)
    if not options.paths and not options.source_list and not options.changed_files:
        parser.error("the following arguments are required: PATH")
    return options
