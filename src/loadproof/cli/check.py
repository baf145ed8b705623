"""``loadproof check PATH ...``."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from loadproof.cli.options import (
    EXIT_STATUS,
    Parser,
    add_failing,
    add_output,
    add_reading,
    outputs_of,
    parsed,
    parser_for,
)
from loadproof.cli.output import answer, failed
from loadproof.cli.policy import Policies, add_policy
from loadproof.cli.streams import hint
from loadproof.cli.targets import add_targets, check_targets, checked, targets_from

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from loadproof.core.case import Report
    from loadproof.core.pages import CausesPage, RulePage
    from loadproof.core.results import Checks

_DESCRIPTION = """\
Say whether the checkpoints at PATH will load with the right weights, and if not, why.
Only headers, indexes, config.json and the text of the model's source are read; nothing of it is run."""
_FOR_MACHINES = ("json", "sarif", "gitlab", "junit")  # a hint beside them would be one line too many in a log
_WITH_PAGES = ("sarif", "html")
USAGE_ERROR = 2


def main(arguments: list[str]) -> int:
    """Check one checkpoint or many; returns the exit status of `EXIT_STATUS`, of many the worst."""
    options = _parse(arguments)
    result: Report | Checks
    path = ""
    try:
        policies = Policies(options)
        targets = targets_from(options)
        if targets.several:
            result = check_targets(targets, policies)
        else:
            path = options.paths[0]
            result = checked(path, policies)
    except ValueError as error:  # no checkpoint, an unknown reader, a policy that cannot be used
        return failed(str(error))
    return show(result, options, policies, path)


def show(result: Report | Checks, options: argparse.Namespace, policies: Policies, target: str = "") -> int:
    """Print what was found as asked, and turn it into the exit status."""
    status = policies.status(result, target) if is_one(result) else result.status
    forms = [form for form, _ in outputs_of(options)]
    said = answer(result, options, status, fail_on=policies.of(target).fail_on, pages=_pages(result, forms))
    if said != status:
        return said
    if "github" in forms:
        _summarise(result, status)
    if options.open:
        _open(next(output for form, output in outputs_of(options) if form == "html" and output))
    policies.say_stale()
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


def _page_to_open() -> str:
    import tempfile

    return os.path.join(tempfile.mkdtemp(prefix="loadproof-"), "report.html")


def _open(file: str) -> None:
    """Show the page; where no browser can be started, say where it lies."""
    import webbrowser
    from pathlib import Path

    if not webbrowser.open(Path(file).absolute().as_uri()):
        hint(f"loadproof: no browser could be started; the report is {file}")


def _pages(result: Report | Checks, forms: list[str]) -> dict[str, RulePage | CausesPage]:
    """What is known of the codes that occur, for the formats that show it."""
    if not any(form in _WITH_PAGES for form in forms):
        return {}
    from loadproof.api.pages import page

    found = [finding for report in _reports(result) for finding in report.findings]
    accepted = [one.finding for report in _reports(result) for one in report.accepted]
    codes = dict.fromkeys(finding.code for finding in (*found, *accepted))
    return {code: known for code in codes if (known := page(code)) is not None}


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
    if accepted := sum(len(report.accepted) for report in reports):
        found.append(f"{accepted} accepted")
    return f"{', '.join(found)} in {sum(report.timings.total_s for report in reports):.2f} s"


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("check [options] PATH ...", _DESCRIPTION, arguments, EXIT_STATUS)
    add_targets(made)
    add_reading(made)
    add_output(made).add_argument(
        "--open",
        action="store_true",
        help="show the HTML report in a browser (without --output: from a temporary file)",
    )
    add_failing(made)
    add_policy(made)
    return made


def _parse(arguments: list[str]) -> argparse.Namespace:
    made = parser(arguments)
    options = parsed(made, arguments)
    if options.open and not any(form == "html" and output for form, output in outputs_of(options)):
        options.pairs = [*(options.pairs or [(None, None)]), ("html", _page_to_open())]
    if not options.paths and not options.source_list and not options.changed_files:
        made.error("the following arguments are required: PATH")
    return options
