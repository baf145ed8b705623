"""A checkpoint judged as edits would leave it, each list of edits once."""

from __future__ import annotations

from collections.abc import Sequence

from loadproof.api.edited import CannotTellError, edited
from loadproof.api.judging import conclude
from loadproof.core.case import Report, Timings
from loadproof.core.edits import Edit


class Trials:
    """What the reports would be; the edits are always those that lead from the files as they are."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._made: dict[str, Report | CannotTellError] = {}

    def after(self, edits: Sequence[Edit]) -> Report:
        """The report about the checkpoint as these edits would leave it. Raises `CannotTellError`."""
        if not edits:
            return self.report
        key = repr(tuple(edits))
        if key not in self._made:
            self._made[key] = self._judged(edits)
        made = self._made[key]
        if isinstance(made, CannotTellError):
            raise made
        return made

    def _judged(self, edits: Sequence[Edit]) -> Report | CannotTellError:
        try:
            return conclude(edited(self.report.case, edits), Timings())
        except CannotTellError as error:
            return error
