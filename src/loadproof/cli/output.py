"""Where text goes: stdout for the report, stderr for hints, a file when asked; a closed pipe is not an error."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from loadproof.report.style import ColorChoice, wants_color

if TYPE_CHECKING:
    from loadproof.core.case import Report

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


def write(text: str, output: str | None = None) -> None:
    """`text` to stdout or to the file `output` (replaced at once, never half written). Raises OSError naming the target."""
    if output is None:
        _write_out(text)
        return
    target = os.path.realpath(output)
    if os.path.exists(target) and not os.path.isfile(target):  # /dev/stdout, a FIFO: never put a file in its place
        _write_to(target, text)
        return
    temporary = os.path.join(os.path.dirname(target), f".loadproof-output-{os.urandom(8).hex()}")
    try:
        _write_new(temporary, text, target)
        os.replace(temporary, target)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _write_out(text: str) -> None:
    try:
        write_anything(sys.stdout)
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


def write_anything(stream: TextIO) -> None:
    """Let a stream take text that its encoding has no bytes for; a notebook's or a test's takes all text as it is."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def _write_to(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def _write_new(path: str, text: str, like: str) -> None:
    """A name that nobody can guess and that must be free: nothing planted there is written to."""
    descriptor = os.open(path, _NEW, 0o666)
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        with suppress(OSError, AttributeError):
            os.fchmod(descriptor, os.stat(like).st_mode & 0o777)
        file.write(text)


def hint(text: str) -> None:
    """One line on stderr; nothing happens if nobody can read it."""
    with suppress(OSError):
        sys.stderr.write(f"{text}\n")


def failed(text: str) -> int:
    """A usage error: one line on stderr, exit status 2."""
    from loadproof.report.escape import clean, guard_line

    hint(guard_line(f"loadproof: {clean(text)}"))
    return 2


def render(report: Report, form: str, *, verbose: bool, quiet: bool, color: bool, width: int | None = None) -> str:
    """The report in one of the formats of the command line; `width` folds the text format."""
    if form == "json":
        from loadproof.report.json_v1 import render_json

        return render_json(report)
    if form == "concise":
        from loadproof.report.concise import render_concise

        return render_concise(report)
    from loadproof.report.text import render_text

    return render_text(report, verbose=verbose, quiet=quiet, color=color, width=width)


def color_for(choice: ColorChoice, output: str | None) -> bool:
    """Whether this output is coloured: a file only when asked outright."""
    return choice == "always" if output else wants_color(choice, sys.stdout)
