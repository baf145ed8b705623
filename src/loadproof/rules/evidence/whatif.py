"""What the reader would report if the file were otherwise: the proof of a hypothesis, with the reader's own rules.

A rule that supposes a cause (a prefix, a missing shard) predicts the outcome again without it. The rows that vanish are
exactly the rows the cause explains, renaming, conversion, ties and ignore lists included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.families import fold, names_of
from loadproof.core.outcome import Outcome, Row
from loadproof.core.tensors import Family
from loadproof.rules.rows import subtract


def outcome_with(case: Case, families: Iterable[Family]) -> Outcome | None:
    """The outcome for these stored families in place of the real ones; None where nothing is expected."""
    if case.expectation.inconclusive is not None or not case.expectation.families:
        return None
    outcome = case.what_if(families=tuple(families))
    return outcome if outcome is not None and is_judged(outcome) else None


def is_judged(outcome: Outcome) -> bool:
    """Whether its rows are all there are: of a quantized checkpoint those of the dense tensors are judged to the end."""
    return outcome.inconclusive is None or bool(outcome.quantized)


def explained_by(case: Case, families: Iterable[Family]) -> tuple[list[Row], list[Row]]:
    """(rows that vanish, rows that are new) when these families stand in the file; both empty when unknown."""
    outcome = outcome_with(case, families)
    if outcome is None:
        return [], []
    return subtract(case.outcome.rows, outcome.rows), new_rows(case, outcome)


def is_known(rows: Iterable[Row], case: Case) -> bool:
    """Whether the same is reported of other members of each of these families: another fault of them all, not a new one."""
    reported = {_fault(row) for row in (*case.outcome.rows, *case.explained)}
    return all(_fault(row) in reported for row in rows)


def _fault(row: Row) -> tuple[object, ...]:
    return row.kind, row.template, row.expected, row.found


def new_rows(case: Case, outcome: Outcome) -> list[Row]:
    """Rows of the supposed outcome that are not reported today, explained already or not."""
    return subtract(outcome.rows, (*case.outcome.rows, *case.explained))


def renamed(families: Iterable[Family], change: Callable[[str], str]) -> tuple[Family, ...]:
    """The families under other templates. `change` must keep the number of ``{}`` or the family is spelled out."""
    moved: list[Family] = []
    for family in families:
        template = change(family.template)
        if template.count("{}") == len(family.axes):
            moved.append(family if template == family.template else replace(family, template=template))
        else:
            moved.extend(refolded((change(name) for name in names_of(family.template, family.axes)), family))
    return tuple(moved)


def refolded(names: Iterable[str], like: Family) -> list[Family]:
    """These names as families of the dtype, shape and files of `like`."""
    return [replace(like, template=t, axes=a) for t, a, _ in fold((name, None) for name in names)]
