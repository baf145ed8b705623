"""``loadproof fix PATH [CODE ...]``."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING

from loadproof.cli.options import Parser, add_format, add_reading, parser_for
from loadproof.cli.output import failed, rendered
from loadproof.cli.policy import reading_for
from loadproof.cli.progress import progress_bar
from loadproof.cli.repairing import add_adopting, refused, show_adopted, write_done

if TYPE_CHECKING:
    from loadproof.core.case import Report
    from loadproof.core.repairs import FixReport

_DESCRIPTION = """\
Fix what can be fixed without losing a bit. Nothing is changed unless --apply or --out is given: the plan is
printed, with the operations, the files touched and the bytes written. 'loadproof undo PATH' undoes a repair."""
_EPILOG = """\
exit status:
  0  nothing needs to be fixed; the plan fixes every error; or it was done, and no error is left
  1  an error, or a CODE that was named, cannot be fixed; the result is no better; the repair was refused
  2  usage or internal error, or there is no checkpoint at PATH
  3  no error was found, but not everything could be judged: see loadproof check"""


def main(arguments: list[str]) -> int:
    """Plan a repair, or carry it out; the exit status says whether the checkpoint is then in order."""
    options = _parse(arguments)
    from loadproof.api.checking import NoCheckpointError
    from loadproof.api.fixing import RepairError, fix

    try:
        if options.adopt_records:
            show_adopted(options.path)
        with progress_bar(sys.stderr) as progress:
            report = fix(
                options.path,
                options.codes,
                apply=options.apply,
                out=options.out,
                unsafe=options.unsafe,
                readers_stopped=options.readers_stopped,
                adopt_records=options.adopt_records,
                progress=progress,
                **reading_for(options, options.path),
            )
    except RepairError as error:
        return refused(error, shlex.join(["loadproof", "fix", options.path, *options.codes, "--out", "NEW_FOLDER"]))
    except (NoCheckpointError, ValueError) as error:
        return failed(str(error))
    except KeyboardInterrupt:
        return failed(
            "interrupted: the same command goes on with it, `loadproof undo PATH` brings the checkpoint back", 130
        )
    text = rendered(report, options, options.format, given=_given(options))
    write_done(text, report.applied, _done(report))
    return exit_status(report, is_named=bool(options.codes))


def exit_status(report: FixReport, *, is_named: bool) -> int:
    """0 in order or about to be, 1 something stays wrong, 3 nothing wrong is known and not everything was judged.

    A warning that no edit removes is no failure, unless its code was asked for by name (`is_named`).
    """
    if report.restored or report.plan.refusals:
        return 1
    if report.after is not None:
        return 0 if _is_in_order(report.after) else 1
    lost = [choice.finding.severity for choice in report.choices if choice.fix is None]
    if "error" in lost or (is_named and lost):
        return 1
    if report.plan.edits or report.before.verdict == "loads":
        return 0
    return 3 if report.before.verdict == "inconclusive" else 1


def _done(report: FixReport) -> str:
    """What was carried out, in one line."""
    if report.applied is None:
        return ""
    where = report.applied.root
    if report.applied.undo is None:
        return f"the repaired copy {where} was written"
    return f"the repair of {where} was done; loadproof undo {shlex.quote(where)} takes it back"


def _is_in_order(after: Report) -> bool:
    """It loads, or nothing is known to be wrong and the rest is merely unjudged."""
    wrong = any(finding.severity == "error" for finding in after.findings)
    return after.verdict == "loads" or (after.verdict == "inconclusive" and not wrong)


def _given(options: argparse.Namespace) -> list[str]:
    """The options that decide what is planned and whether it may be carried out, as they were typed."""
    given = [
        name
        for name in ("unsafe", "readers_stopped", "adopt_records", "no_cache", "isolated")
        if getattr(options, name)
    ]
    words = [f"--{name.replace('_', '-')}" for name in given]
    named = (("--source", options.source), ("--class", options.class_name), ("--config", options.config))
    words += [word for option, value in named if value for word in (option, value)]
    return [*words, "--reader", options.reader] if options.reader else words


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("fix [options] PATH [CODE ...]", _DESCRIPTION, arguments, _EPILOG)
    made.add_argument("path", metavar="PATH", help="a checkpoint folder, or one weight file")
    made.add_argument(
        "codes", metavar="CODE", nargs="*", help="what to fix, e.g. LP301 (default: every error and warning)"
    )
    how = made.add_argument_group("what to do")
    way = how.add_mutually_exclusive_group()
    way.add_argument("--apply", action="store_true", help="change the files in place; an undo record is kept")
    way.add_argument("--out", metavar="DIR", help="write a repaired copy; untouched files are cloned or linked")
    how.add_argument("--unsafe", action="store_true", help="also plan fixes that lose something; the plan says what")
    how.add_argument(
        "--readers-stopped",
        action="store_true",
        help="promise that no program has these files open, where loadproof cannot find out",
    )
    add_adopting(how)
    add_reading(made, names_only=False)
    group = add_format(made, "fix")
    group.add_argument("-v", "--verbose", action="store_true", help="whole diffs")
    return made


def _parse(arguments: list[str]) -> argparse.Namespace:
    made = parser(arguments)
    return made.parse_args(arguments)
