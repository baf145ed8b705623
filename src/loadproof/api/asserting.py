"""Checks that raise: what the pytest plugin, the Trainer callback and your own scripts stand on. pytest is not needed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadproof.core.case import Report


class CheckpointFault(AssertionError):  # noqa: N818 - the word users read
    """The checkpoint does not load as intended; the message is the text report."""


def checked(path: str | os.PathLike[str], reader: str = "transformers", **options: Any) -> Report:
    """`loadproof.check(path, reader=...)`."""
    from loadproof.api.checking import check

    return check(os.fspath(path), reader=reader, **options)


def rendered(report: Report) -> str:
    """The text report without colours."""
    return report.text()


def require_loads(report: Report) -> None:
    """Raise CheckpointFault unless the verdict is `loads`."""
    __tracebackhide__ = True  # pytest shows the line of the test, not this one
    if report.verdict != "loads":
        raise CheckpointFault(rendered(report))


def assert_loads(path: str | os.PathLike[str], reader: str = "transformers", **options: Any) -> Report:
    """Assert that the checkpoint loads into `reader` with every weight in place; returns the report.

    options: class_name, source, names_only. Raises CheckpointFault (an AssertionError) with the report as message, and
    NoCheckpointError when nothing there is a checkpoint.
    """
    __tracebackhide__ = True
    report = checked(path, reader, **options)
    require_loads(report)
    return report
