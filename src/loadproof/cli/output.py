"""How a command answers: the report in every format that is asked for, or one line that says why there is none."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from loadproof.cli.asked import answer_error
from loadproof.cli.streams import hint, write
from loadproof.report.style import ColorChoice, wants_color

if TYPE_CHECKING:
    import argparse

    from loadproof.core.shown import Shown


def failed(text: str, status: int = 2) -> int:
    """An error instead of a report: one line on stderr, and an error object where JSON is asked for. The exit status."""
    from loadproof.report.escape import clean, guard_line

    hint(guard_line(f"loadproof: {clean(text)}"))
    answer_error(status, text)
    return status


def rendered(result: Shown, options: argparse.Namespace, form: str, output: str | None = None, **look: object) -> str:
    """The result in a format, as the options ask for it; folded only for a terminal."""
    from loadproof.report.registry import render
    from loadproof.report.style import terminal_width

    return render(
        result,
        form,
        verbose=getattr(options, "verbose", False),
        quiet=getattr(options, "quiet", False),
        color=color_for(options.color, output),
        width=None if output else terminal_width(sys.stdout),
        **look,
    )


def answer(result: Shown, options: argparse.Namespace, status: int, **look: object) -> int:
    """Print a result as asked, in every format; returns the exit status, 2 where one cannot be written."""
    from loadproof.cli.options import outputs_of

    for form, output in outputs_of(options):
        try:
            write(rendered(result, options, form, output, status=status, **look), output)
        except BrokenPipeError:
            raise
        except OSError as error:
            return failed(f"{'standard output' if output is None else output or '--output'}: {error.strerror}")
    return status


def color_for(choice: ColorChoice, output: str | None) -> bool:
    """Whether this output is coloured: a file only when asked outright."""
    return choice == "always" if output else wants_color(choice, sys.stdout)
