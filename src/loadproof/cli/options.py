"""Options that several commands share, and how their help is drawn."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from loadproof.cli.asked import answer_error, note
from loadproof.cli.streams import hint
from loadproof.core.near import did_you_mean
from loadproof.report.registry import formats

DEFAULT_FORMAT = "text"
DEFAULT_READER = "transformers"
_UNKNOWN = re.compile(r"unrecognized arguments: (?P<word>-\S+)")
_NO_CHOICE = re.compile(r"argument (?P<option>\S+): invalid choice: '(?P<word>[^']*)'")

EXIT_STATUS = """\
exit status, the same in every format, and for several targets the worst of 2, 1, 3, 0:
  0  it loads, and no finding is at or above --fail-on
  1  it fails, loads wrong, or a finding is at or above --fail-on
  2  usage or internal error, or there is no checkpoint at PATH
  3  inconclusive: what is expected could not be established (0 with --allow-inconclusive)"""


def formatter(arguments: list[str]) -> Any:
    """Plain text, or rich's colours when help goes to a terminal (rich is imported only then)."""
    if not any(argument.startswith(("-h", "--h")) for argument in arguments):
        # argparse makes one for every option it is told of; a stated width spares it the import of shutil
        return partial(argparse.RawDescriptionHelpFormatter, width=100)
    if getattr(sys.stdout, "isatty", bool)() and not os.environ.get("NO_COLOR"):
        from rich_argparse import RawDescriptionRichHelpFormatter

        class Colored(RawDescriptionRichHelpFormatter):
            """The same words as the plain help, headings in bold."""

            group_name_formatter = str
            styles = RawDescriptionRichHelpFormatter.styles | {"argparse.groups": "bold"}

        return Colored
    return argparse.RawDescriptionHelpFormatter


class Parser(argparse.ArgumentParser):
    """argparse's own, that says which word may have been meant."""

    def error(self, message: str) -> NoReturn:
        """The usage, one line that says what is wrong, and an error object where JSON is asked for; exit status 2."""
        from loadproof.report.escape import clean

        text = clean(message + self._meant(message), 4096)
        self.print_usage(sys.stderr)
        hint(f"{self.prog}: error: {text}")
        answer_error(2, text)
        self.exit(2)

    def _meant(self, message: str) -> str:
        if unknown := _UNKNOWN.match(message):
            return did_you_mean(unknown["word"].partition("=")[0], self._option_string_actions)
        if wrong := _NO_CHOICE.match(message):
            action = self._option_string_actions.get(wrong["option"].partition("/")[0])
            return did_you_mean(wrong["word"], map(str, (action and action.choices) or ()))
        return ""


def parser_for(usage: str, description: str, arguments: list[str], epilog: str = "") -> Parser:
    """The parser of a command; `usage` is what follows its name, e.g. ``check [options] PATH``."""
    note(arguments)
    return Parser(
        prog=f"loadproof {usage.split()[0]}",
        usage=f"loadproof {usage}",
        description=description,
        epilog=epilog,
        formatter_class=formatter(arguments),
    )


def add_reading(parser: argparse.ArgumentParser, *, names_only: bool = True, base: bool = True) -> None:
    """Which library, release and class to judge for."""
    group = parser.add_argument_group("what to judge for")
    group.add_argument(
        "--reader",
        metavar="NAME[@VERSION]",
        help="the library that will load it (default: the installed transformers)",
    )
    group.add_argument("--source", metavar="DIR", help="source folder of another release of the library")
    if base:
        group.add_argument(
            "--base", metavar="PATH", help="base of an adapter (default: the one that it names, if it lies here)"
        )
    group.add_argument(
        "--class", metavar="NAME", dest="class_name", help="model class (default: what the Auto class picks)"
    )
    group.add_argument(
        "--device",
        metavar="NAME",
        help="cpu, cuda, cuda:8.9, mps, ...: some quantizers decide by it (default: cpu and cuda are both judged)",
    )
    if names_only:
        group.add_argument(
            "--names-only", action="store_true", help="judge by the index alone: the shards need not be there"
        )
    group.add_argument(
        "--no-follow-links",
        action="store_true",
        help="do not follow links out of the folder (for folders that you do not trust)",
    )
    group.add_argument("--no-cache", action="store_true", help="interpret the model source again, without the cache")
    group.add_argument(
        "--evaluate-code-without-wall",
        action="store_true",
        help="evaluate the repository's own code even where the operating system cannot confine it",
    )
    add_config(group)


def add_config(group: argparse._ActionsContainer) -> None:
    """Which policy file is in force."""
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--config", metavar="FILE", help="the policy file (default: the nearest one, in this folder or above)"
    )
    which.add_argument("--isolated", action="store_true", help="no policy file")


def reading(options: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_reading` as the keywords of the use-cases."""
    keywords = {
        "reader": options.reader or DEFAULT_READER,
        "class_name": options.class_name,
        "source": options.source,
        "use_cache": not options.no_cache,
        "follow_links": not options.no_follow_links,
        "evaluate_code_without_wall": options.evaluate_code_without_wall,
        "device": options.device,
    }
    return keywords | {name: getattr(options, name) for name in ("names_only", "base") if name in options}


def add_output(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """How to report a check."""
    group = add_format(parser, "check", output=True)
    group.add_argument("-v", "--verbose", action="store_true", help="every row, every piece of evidence")
    group.add_argument("-q", "--quiet", action="store_true", help="the verdict only")
    return group


def add_format(parser: argparse.ArgumentParser, kind: str, *, output: bool = False) -> argparse._ArgumentGroup:
    """The formats that this kind of result has, colours, and with `output` a file to write to."""
    group = parser.add_argument_group("how to report")
    if output:
        group.add_argument(
            "--format", metavar="FORMAT", choices=formats(kind), action=_Pair, dest="pairs", help=_listed(kind)
        )
        group.add_argument(
            "--output",
            metavar="FILE",
            action=_Pair,
            dest="pairs",
            help="write the report to FILE; --format and --output may be given several times, in pairs",
        )
    else:
        group.add_argument("--format", choices=formats(kind), default=DEFAULT_FORMAT, help="default: text")
    add_color(group)
    return group


def _listed(kind: str) -> str:
    return f"{', '.join(formats(kind))} (default: {DEFAULT_FORMAT})"


class _Pair(argparse.Action):
    """Collects (format, output) pairs: each word goes into the last pair if that lacks it, else it opens another."""

    def __call__(self, _: Any, namespace: Any, value: Any, option_string: str | None = None) -> None:
        pairs = list(getattr(namespace, self.dest) or ())
        place = 0 if "--format".startswith(option_string or "--format") else 1
        if not pairs or pairs[-1][place] is not None:
            pairs.append((None, None))
        pairs[-1] = (value, pairs[-1][1]) if place == 0 else (pairs[-1][0], value)
        setattr(namespace, self.dest, pairs)


def outputs_of(options: argparse.Namespace) -> list[tuple[str, str | None]]:
    """What to write where; None is standard output."""
    if "pairs" not in options:
        return [(options.format, None)]
    return [(form or DEFAULT_FORMAT, output) for form, output in options.pairs or [(None, None)]]


def parsed(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> argparse.Namespace:
    """The options of a command that takes pairs, wherever they stand between the paths. Exits where two reports would
    be written to one place."""
    options = parser.parse_intermixed_args(arguments)
    outputs = [output for _, output in outputs_of(options)]
    if twice := next((output for output in outputs if outputs.count(output) > 1), ""):
        parser.error(f"two reports for one file: {twice}")
    if outputs.count(None) > 1:
        parser.error("two formats for standard output: give each but one an --output FILE")
    return options


def add_color(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    parser.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="default: auto (NO_COLOR, FORCE_COLOR)"
    )


def add_failing(parser: argparse.ArgumentParser) -> None:
    """What counts as failure."""
    from loadproof.core.severity import NEVER, SEVERITIES

    group = parser.add_argument_group("exit status")
    group.add_argument(
        "--fail-on",
        choices=(*SEVERITIES, NEVER),
        help="findings that fail (default: error)",
    )
    group.add_argument(
        "--allow-inconclusive",
        action="store_true",
        default=None,
        help="exit 0, not 3, where nothing that could be judged is wrong",
    )
    group.add_argument("--exit-zero", action="store_true", help="exit 0 whatever is found")
