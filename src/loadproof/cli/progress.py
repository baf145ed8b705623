"""A progress bar on stderr, for terminals only; rich is imported when the first step is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TextIO

Progress = Callable[[int, int, str], None]


@contextmanager
def progress_bar(stream: TextIO) -> Iterator[Progress | None]:
    """A callable of (bytes done, bytes in all, what is being done); None where nobody watches."""
    if not getattr(stream, "isatty", bool)():
        yield None
        return
    with ExitStack() as stack:
        shown: list[Any] = []

        def report(done: int, total: int, what: str) -> None:
            if not shown:
                bar = stack.enter_context(_bar(stream))
                shown.extend((bar, bar.add_task(what, total=total)))
            bar, task = shown
            bar.update(task, completed=done, total=total, description=what)

        yield report


def _bar(stream: TextIO) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=Console(file=stream), transient=True)
