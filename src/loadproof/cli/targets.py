"""The targets of a command: which paths it is given, and how each of them is checked under the policy."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadproof.api.targets import Targets
    from loadproof.cli.policy import Policies
    from loadproof.core.case import Report
    from loadproof.core.results import Checks


def add_targets(parser: argparse.ArgumentParser) -> None:
    """Paths, and what else names checkpoints."""
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        help="a checkpoint folder, one weight file, a folder of checkpoints, or a pattern",
    )
    which = parser.add_argument_group("what to check")
    which.add_argument(
        "--from",
        metavar="FILE",
        dest="source_list",
        help='paths from FILE, one a line or ended by NUL ("-": standard input)',
    )
    which.add_argument(
        "-r", "--recursive", action="store_true", help="also what lies below a folder that is a checkpoint"
    )
    which.add_argument(
        "--changed-files", action="store_true", help="the paths are changed files: check the folder of each once"
    )


def targets_from(options: argparse.Namespace) -> Targets:
    """What to check. Raises ValueError where a list of paths cannot be read, or names nothing."""
    from loadproof.api.targets import find_targets

    words = [*options.paths, *(_listed(options.source_list) if options.source_list else ())]
    targets = find_targets(words, below=options.recursive, files=options.changed_files)
    if targets.problems and not targets.paths:
        word, why = targets.problems[0]
        raise ValueError(f"{word}: {why}")
    return targets


def check_targets(targets: Targets, policies: Policies) -> Checks:
    """All of them. Raises ValueError for what concerns every target, such as an unknown reader."""
    from loadproof.api.many import check_all

    try:
        return check_all(targets, lambda path: checked(path, policies), policies.status, _say_next)
    finally:
        _say("")


def checked(path: str, policies: Policies) -> Report:
    """The report under the policy. Raises what `loadproof.api.checking.check` does."""
    from loadproof.api.checking import check

    return policies.applied(check(path, **policies.reading(path)), path)


def _say_next(number: int, path: str) -> None:
    """Which one is being read: the end of its path, where it is long."""
    from loadproof.report.escape import LONG, clean

    _say(f"{number + 1}: {clean(path, LONG)[-60:]}")


def _say(text: str) -> None:
    """On the last line, where somebody watches; the next text takes its place."""
    if getattr(sys.stderr, "isatty", bool)():
        sys.stderr.write(f"\r\x1b[K{text}\r")


def _listed(source: str) -> list[str]:
    """The paths in a file or in standard input, without empty ones and comments: one a line, or ended by NUL."""
    text = _text_of(source)
    found = [
        path for path in (text.split("\0") if "\0" in text else text.splitlines()) if path.strip() and path[0] != "#"
    ]
    if not found:
        raise ValueError(f"{'standard input' if source == '-' else source}: no path in it; one a line is expected")
    return found


def _text_of(source: str) -> str:
    if source == "-":
        return "" if sys.stdin is None else os.fsdecode(sys.stdin.buffer.read())
    try:
        with open(source, "rb") as file:
            return os.fsdecode(file.read())
    except OSError as error:
        raise ValueError(f"{source}: {error.strerror or type(error).__name__}") from None
