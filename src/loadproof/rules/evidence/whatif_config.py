"""What the reader would report if config.json were otherwise: the proof of a config-only repair.

A rule that supposes a wrong field writes it, lets the model's source be read again and predicts again. The rows that
vanish are the ones the field explains; a repair is offered as proven only if no new row appears.
"""

from __future__ import annotations

from collections.abc import Sequence

from loadproof.core.case import Case
from loadproof.core.edits import Edit
from loadproof.core.outcome import Outcome, Row
from loadproof.rules.evidence.whatif import is_judged, new_rows
from loadproof.rules.rows import subtract


def outcome_if(case: Case, edits: Sequence[Edit]) -> Outcome | None:
    """The outcome under the edited config, None where it cannot be said."""
    outcome = case.what_if(edits)
    return outcome if outcome is not None and is_judged(outcome) else None


def explained_by_config(case: Case, edits: Sequence[Edit]) -> tuple[list[Row], list[Row]] | None:
    """(rows that vanish, rows that are new) under the edited config, None where it cannot be said.

    The new rows are counted against all that is reported, not only against what is left to explain.
    """
    outcome = outcome_if(case, edits)
    if outcome is None:
        return None
    return subtract(case.outcome.rows, outcome.rows), new_rows(case, outcome)
