"""`check_all`: many checkpoints one after the other; one that is none does not keep the others from being checked."""

from __future__ import annotations

from collections.abc import Callable

from loadproof.api.checking import NoCheckpointError
from loadproof.api.targets import Targets
from loadproof.core.case import Report
from loadproof.core.results import Checked, Checks


def check_all(
    targets: Targets,
    check: Callable[[str], Report],
    status: Callable[[Report, str], int],
    started: Callable[[int, str], None] | None = None,
) -> Checks:
    """Every target's report and exit status. `started` hears of each before it is read.

    Raises `ValueError` for what concerns all of them, such as an unknown reader.
    """
    checked = [Checked(word, error=f"{word}: {why}", status=2) for word, why in targets.problems]
    for number, path in enumerate(targets.paths):
        if started is not None:
            started(number, path)
        checked.append(_checked(path, check, status))
    return Checks(tuple(checked))


def _checked(path: str, check: Callable[[str], Report], status: Callable[[Report, str], int]) -> Checked:
    try:
        report = check(path)
    except NoCheckpointError as error:
        return Checked(path, error=str(error), status=2)
    return Checked(path, report, status=status(report, path))
