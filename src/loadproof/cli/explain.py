"""``loadproof explain FILE | - | TEXT | LP301``."""

from __future__ import annotations

import argparse
import io
import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from loadproof.cli.options import Parser, add_format, add_reading, outputs_of, parsed, parser_for
from loadproof.cli.output import answer, failed
from loadproof.cli.policy import reading_for
from loadproof.report.registry import formats

if TYPE_CHECKING:
    from loadproof.core.case import Report
    from loadproof.core.pages import CausesPage, RulePage

_DESCRIPTION = """\
Find the cause behind an error: a log file of any size, "-" for standard input, or the message itself.
With --checkpoint the folder is checked and decides between the causes. A rule's code shows the rule's page."""
_EPILOG = """\
examples:
  loadproof explain serve.log --checkpoint ./model
  vllm serve ./model 2>&1 | loadproof explain -
  loadproof explain "KeyError: 'layers.4.mlp.gate.g_idx'"
  loadproof explain LP301

exit status:
  0  answered: a cause, a page, or that no checkpoint causes this error
  2  usage or internal error, no such file or rule
  3  the error was not recognised"""
_CODE = re.compile(r"LP\d{3}\Z", re.IGNORECASE)
_CHUNK = 1 << 16
_LONGEST = 1 << 20  # a longer line is cut in pieces, so that memory stays bounded


def main(arguments: list[str]) -> int:
    """Explain one error or one rule; 0 answered, 2 usage error, 3 not recognised."""
    options = _parse(arguments)
    page = _page(options.what)
    if page is not None:
        unknown = [form for form, _ in outputs_of(options) if form not in formats(page.kind)]
        return failed(_no_format(page, unknown[0])) if unknown else answer(page, options, 0)
    if _CODE.match(options.what.strip()):
        return failed(f"there is no rule {options.what.upper()}; 'loadproof rules' lists them")
    try:
        report = _explain(options)
    except (ValueError, OSError) as error:
        return failed(_reason(error))
    symptom = report.case.symptom
    answered = report.findings or (symptom is not None and symptom.elsewhere)
    return answer(report, options, 0 if answered else 3)


def _explain(options: argparse.Namespace) -> Report:
    from loadproof.api.explaining import explain

    lines, location = _lines_of(options.what)
    return explain(
        lines,
        options.checkpoint,
        location=location,
        **(reading_for(options, options.checkpoint) if options.checkpoint else {}),
    )


def _lines_of(what: str) -> tuple[Iterator[str], str]:
    """The lines of standard input, of a file, or of the text itself; and what to call them."""
    if what == "-":
        if sys.stdin is None:
            raise ValueError("standard input is closed: give a file, or pipe the log into 'loadproof explain -'")
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        return pieces(sys.stdin), "standard input"
    if len(what) < 4096 and "\n" not in what and os.path.exists(what):
        return _lines_of_file(what), what
    if _names_a_file(what):
        raise ValueError(f"{what}: no such file")
    return iter(what.splitlines()), "text"


def _lines_of_file(path: str) -> Iterator[str]:
    with open(path, encoding="utf-8", errors="replace") as file:
        yield from pieces(file)


def pieces(file: TextIO) -> Iterator[str]:
    """Lines without their ends; an endless line comes in pieces of `_LONGEST` characters."""
    rest = ""
    while chunk := file.read(_CHUNK):
        lines = (rest + chunk).split("\n")
        rest = lines.pop()
        yield from lines
        if len(rest) > _LONGEST:
            yield rest
            rest = ""
    if rest:
        yield rest


def _names_a_file(what: str) -> bool:
    return " " not in what and bool(re.search(r"\.(?:log|txt|out|err|json|ipynb)$|^[./~]", what))


def _reason(error: ValueError | OSError) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'input'}: {error.strerror or type(error).__name__}"
    return str(error)


def _page(what: str) -> RulePage | CausesPage | None:
    """The page of a code or slug, None where it is neither."""
    word = what.strip()
    if not re.fullmatch(r"[A-Za-z0-9-]{3,40}", word):
        return None
    from loadproof.api.pages import page

    return page(word)


def _no_format(page: RulePage | CausesPage, form: str) -> str:
    return f"the page of {page.code} has no format {form!r}; there are: {', '.join(formats(page.kind))}"


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("explain [options] FILE | - | TEXT | CODE", _DESCRIPTION, arguments, _EPILOG)
    made.add_argument(
        "what", metavar="FILE | - | TEXT | CODE", help="a log, standard input, a message, or a rule's code"
    )
    made.add_argument("--checkpoint", metavar="PATH", help="the checkpoint that was loaded: it decides between causes")
    add_reading(made)
    group = add_format(made, "explain", output=True)
    group.add_argument("-v", "--verbose", action="store_true", help="every cause in full")
    return made


def _parse(arguments: list[str]) -> argparse.Namespace:
    made = parser(arguments)
    return parsed(made, arguments)
