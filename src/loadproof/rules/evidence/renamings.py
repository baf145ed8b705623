"""Renamings of whole name sets: suggested by `rules.evidence.name_differences`, proved by predicting the outcome again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from loadproof.core import boxes
from loadproof.core.case import Case
from loadproof.core.families import count
from loadproof.core.outcome import Outcome, Row
from loadproof.core.tensors import Axes, Family
from loadproof.lexicon.wrappers import wrapper_parts
from loadproof.rules.evidence.name_differences import Parts, shared_by_all, subtrees, votes
from loadproof.rules.evidence.whatif import outcome_with, renamed
from loadproof.rules.rows import count_rows, of_kind, subtract

STEPS = 4  # renamings in one chain


class Rewrite(Struct, frozen=True):
    """Stored names: wrapper parts are taken out, then the parts `before` become `after` where they first stand.

    `context` are the parts in front of them (indices as ``{}``), empty for a change at the front; `followers` the parts
    of which one must stand behind them, empty for any.
    """

    before: Parts = ()
    after: Parts = ()
    context: Parts = ()
    followers: Parts = ()
    wrappers: Parts = ()

    def __call__(self, template: str) -> str:
        parts = [part for part in template.split(".") if part not in self.wrappers]
        end = len(self.context) + len(self.before)
        here = (self.before or self.after) and _same(parts[:end], self.context + self.before)
        if here and (not self.followers or parts[end] in self.followers):
            parts[len(self.context) : end] = self.after
        return ".".join(parts)


def _same(parts: list[str], pattern: tuple[str, ...]) -> bool:
    """Equal part by part; ``{}`` in the pattern also stands for any number, so that whole names can be renamed."""
    if len(parts) != len(pattern):
        return False
    return all(a == b or (b == "{}" and a.isdigit()) for a, b in zip(parts, pattern, strict=True))


class Proof(Struct, frozen=True):
    """A chain of renamings with what it explains: `rows` are gone once the names are changed, nothing new is wrong."""

    steps: tuple[Rewrite, ...]
    rows: tuple[Row, ...]
    pairs: tuple[tuple[str, str, Axes], ...]  # (stored template, right template, axes) of every renamed family

    def change(self, template: str) -> str:
        """The right name for a stored one, all steps applied."""
        for step in self.steps:
            template = step(template)
        return template


class _State(Struct, frozen=True):
    """The stored families after some renamings, and what the reader then reports."""

    families: tuple[Family, ...]
    rows: tuple[Row, ...]


def candidates(case: Case) -> list[Rewrite]:
    """What the rows suggest, unproved, the most voted first."""
    return list(_candidates(case, _State(case.manifest.families, case.outcome.rows)))


def find_rewrite(case: Case, goes_on: Callable[[Rewrite, Rewrite], bool] | None = None) -> Proof | None:
    """The renaming that fills most of the missing parameters, None when no renaming fills any.

    Several stretches may be wrong at once (text and vision parts of a file), so renamings are chained while they help;
    `goes_on` says of the first one and another whether they are one fault.
    """
    state = _State(case.manifest.families, case.outcome.rows)
    wanted = {expected.template for expected in case.expectation.families}
    steps: list[Rewrite] = []
    while len(steps) < STEPS:
        tried = [(rewrite, _step(case, state, rewrite)) for rewrite in _candidates(case, state)]
        good = [(rewrite, after) for rewrite, after in tried if after is not None]
        if not good:
            break
        # Of those that leave as little: one that only takes parts out, then the one that gives the class's own names,
        # for the reader may heal the other half of a prefix.
        rewrite, after = min(
            good, key=lambda found: (count_rows(found[1].rows), bool(found[0].after), -_exact(found[1], wanted))
        )
        if steps and goes_on is not None and not goes_on(steps[0], rewrite):
            break
        steps.append(rewrite)
        state = after
    return _proof(case, tuple(steps), state) if steps else None


def _exact(state: _State, wanted: set[str]) -> int:
    """How many stored tensors bear a name that the class itself has."""
    return sum(count(family.axes) for family in state.families if family.template in wanted)


def _step(case: Case, state: _State, rewrite: Rewrite) -> _State | None:
    """None where the renaming changes or fills nothing, breaks something, or has no place for what it renames."""
    moved = [family for family in state.families if rewrite(family.template) != family.template]
    if not moved:
        return None
    families = renamed(state.families, rewrite)
    outcome = outcome_with(case, families)
    if outcome is None:
        return None
    new = subtract(outcome.rows, (*state.rows, *case.explained))
    filled = count_rows(subtract(state.rows, outcome.rows), "missing")
    misfits = of_kind(new, "mismatched", "conversion")
    good = filled and not of_kind(new, "missing") and _settles(rewrite, moved, outcome, misfits)
    return _State(families, tuple(subtract(outcome.rows, case.explained))) if good else None


def _settles(rewrite: Rewrite, moved: list[Family], outcome: Outcome, misfits: list[Row]) -> bool:
    """Whether the renamed tensors found places; one module put for another inside a layer must fit to the last.

    A wrong size or a wrong depth may stand beside wrong names: then all names fit, or most shapes do.
    """
    renamed_to, number = {rewrite(family.template) for family in moved}, sum(count(family.axes) for family in moved)
    unexpected, missing = of_kind(outcome.rows, "unexpected"), of_kind(outcome.rows, "missing")
    stuck = [row for row in unexpected if (row.stored or row.template) in renamed_to]
    if not (rewrite.before and rewrite.after and "{}" in rewrite.context):
        homeless = _names(row for row in stuck if not _goes_on(row, outcome))
        if "{}" in rewrite.context:
            fit = not any("{}" in row.template for row in unexpected)
        else:
            fit = not (missing or homeless) or 2 * _names(misfits) <= number
        return homeless * 4 <= number and (fit or not misfits)
    module = ".".join(rewrite.context + rewrite.after) + "."
    return not (stuck or misfits or any(row.template.startswith(module) for row in missing))


def _names(rows: Iterable[Row]) -> int:
    return sum(count(row.stored_axes or row.axes) for row in rows)


def _goes_on(row: Row, outcome: Outcome) -> bool:
    """Whether the same tensors of earlier layers found their places, and the model ends before these layers."""
    ends = [max(a.stored_axes[0]) for a in outcome.assignments if a.stored == row.stored and a.stored_axes]
    axes = row.stored_axes or row.axes
    return bool(ends and axes) and min(axes[0]) > max(ends)


def _proof(case: Case, steps: tuple[Rewrite, ...], state: _State) -> Proof:
    change = Proof(steps, (), ()).change
    changed = [(family, change(family.template)) for family in case.manifest.families]
    pairs = tuple((family.template, new, family.axes) for family, new in changed if new != family.template)
    still: dict[str, list[Axes]] = {}
    for row in of_kind(state.rows, "unexpected"):
        still.setdefault(row.stored or row.template, []).append(row.stored_axes or row.axes)
    # A name that is unexpected before and after the renaming only changed its spelling: it is not explained.
    vanish = subtract(case.outcome.rows, state.rows)
    rows = [part for row in vanish for part in _explained(row, still.get(change(row.stored or row.template), []))]
    return Proof(steps, tuple(rows), pairs)


def _explained(row: Row, still: list[Axes]) -> list[Row]:
    """The part of a row that has a place after the renaming."""
    if row.kind != "unexpected" or not still:
        return [row]
    if any(len(axes) != len(row.axes) for axes in still):
        return []
    return [replace(row, axes=left, stored_axes=None) for left in boxes.subtract_all([row.axes], still)]


def _candidates(case: Case, state: _State) -> Iterator[Rewrite]:
    if not of_kind(state.rows, "missing") or not of_kind(state.rows, "unexpected"):
        return
    wrappers = wrapper_parts(family.template for family in state.families)
    rows: tuple[Row, ...] = state.rows
    if wrappers:
        stripped = Rewrite(wrappers=wrappers)
        yield stripped
        if _step(case, state, stripped) is not None:
            return  # what else is wrong with the names is another step
        outcome = outcome_with(case, renamed(state.families, stripped))
        rows = outcome.rows if outcome is not None else ()
    bare = renamed(state.families, Rewrite(wrappers=wrappers)) if wrappers else state.families
    for vote in dict.fromkeys((*shared_by_all(bare), *votes(rows), *subtrees(rows))):
        yield Rewrite(*vote, wrappers)
