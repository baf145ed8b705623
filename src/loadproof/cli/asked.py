"""Errors for programs: where JSON is asked for, an error object stands in the place of the report.

What is asked for is read from the raw arguments: an error may come before they are parsed, or be about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from contextvars import ContextVar

_OUTPUTS: ContextVar[tuple[str | None, ...]] = ContextVar("where JSON is wanted", default=())
_JSON = "json"
_SHORTEST = {"--format": "--fo", "--output": "--ou"}  # argparse takes an option by its beginning


def note(arguments: Sequence[str]) -> None:
    """Remember where the command line wants JSON."""
    pairs = list(_pairs(arguments))
    _OUTPUTS.set(tuple(output for form, output in pairs if form == _JSON))


def answer_error(status: int, message: str) -> None:
    """The error object, in every place where the report would have been; what cannot be written there is left."""
    outputs = _OUTPUTS.get()
    if not outputs:
        return
    from loadproof.cli.streams import write
    from loadproof.report.error_json import render_error

    for output in outputs:
        with suppress(OSError):
            write(render_error(status, message), output)


def _pairs(arguments: Sequence[str]) -> Iterator[tuple[str | None, str | None]]:
    """(format, output) as `options.outputs_of` pairs them."""
    form = output = None
    for option, value in _given(arguments):
        if (form if option == "--format" else output) is not None:
            yield form, output
            form = output = None
        form, output = (value, output) if option == "--format" else (form, value)
    yield form, output


def _given(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The options of the two kinds with their values."""
    for at, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        option = next((one for one, short in _SHORTEST.items() if one.startswith(name) and name.startswith(short)), "")
        if option and (equals or at + 1 < len(arguments)):
            yield option, value if equals else arguments[at + 1]
