"""Renamings of whole name sets: suggested by `rules.evidence.name_differences`, proved by predicting the outcome again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from loadproof.core.case import Case
from loadproof.core.families import count
from loadproof.core.outcome import Row
from loadproof.core.tensors import Axes, Family
from loadproof.lexicon.wrappers import wrapper_parts
from loadproof.rules.evidence.name_differences import Parts, shared_by_all, votes
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


def find_rewrite(case: Case) -> Proof | None:
    """The renaming that fills most of the missing parameters, None when no renaming fills any.

    Several stretches may be wrong at once (text and vision parts of a file), so renamings are chained while they help.
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
        rewrite, state = min(
            good, key=lambda found: (count_rows(found[1].rows), bool(found[0].after), -_exact(found[1], wanted))
        )
        steps.append(rewrite)
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
    new = subtract(outcome.rows, state.rows)
    filled = count_rows(subtract(state.rows, outcome.rows), "missing")
    broken = count_rows(of_kind(new, "missing", "mismatched", "conversion"))
    good = filled and not broken and _settles(rewrite, moved, outcome.rows)
    return _State(families, outcome.rows) if good else None


def _settles(rewrite: Rewrite, moved: list[Family], rows: tuple[Row, ...]) -> bool:
    """Whether the renamed tensors found places; one module put for another inside a layer must fit to the last."""
    stuck = _stuck(rows, {rewrite(family.template) for family in moved})
    if not (rewrite.before and rewrite.after and "{}" in rewrite.context):
        return stuck * 4 <= sum(count(family.axes) for family in moved)
    module = ".".join(rewrite.context + rewrite.after) + "."
    return not stuck and not any(row.template.startswith(module) for row in of_kind(rows, "missing"))


def _stuck(rows: Iterable[Row], renamed_to: set[str]) -> int:
    """How many renamed tensors still have no place: a mixer put under the name of another one, say."""
    left = [row for row in of_kind(rows, "unexpected") if (row.stored or row.template) in renamed_to]
    return sum(count(row.stored_axes or row.axes) for row in left)


def _proof(case: Case, steps: tuple[Rewrite, ...], state: _State) -> Proof:
    change = Proof(steps, (), ()).change
    changed = [(family, change(family.template)) for family in case.manifest.families]
    pairs = tuple((family.template, new, family.axes) for family, new in changed if new != family.template)
    still = {row.stored or row.template for row in state.rows if row.kind == "unexpected"}
    vanish = subtract(case.outcome.rows, state.rows)
    # A name that is unexpected before and after the renaming only changed its spelling: it is not explained.
    rows = [row for row in vanish if row.kind != "unexpected" or change(row.stored or row.template) not in still]
    return Proof(steps, tuple(rows), pairs)


def _candidates(case: Case, state: _State) -> Iterator[Rewrite]:
    if not of_kind(state.rows, "missing") or not of_kind(state.rows, "unexpected"):
        return
    wrappers = wrapper_parts(family.template for family in state.families)
    rows: tuple[Row, ...] = state.rows
    if wrappers:
        stripped = Rewrite(wrappers=wrappers)
        yield stripped
        outcome = outcome_with(case, renamed(state.families, stripped))
        rows = outcome.rows if outcome is not None else ()
    bare = renamed(state.families, Rewrite(wrappers=wrappers)) if wrappers else state.families
    for vote in dict.fromkeys((*shared_by_all(bare), *votes(rows))):
        yield Rewrite(*vote, wrappers)
