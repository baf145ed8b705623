"""Renamings of whole name sets, found by algebra: names that came out wrong are paired with names that are missing.

An unexpected name and a missing one of equal shape that end alike differ in a stretch of dotted parts; every pair votes
for its difference, weighted by names. No list of models is consulted: only the words that frameworks themselves insert
(`WRAPPERS`) are known. What a renaming explains is proved by predicting the outcome again (`rules.whatif`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from loadproof.families import count
from loadproof.rules.rows import count_rows, of_kind, subtract
from loadproof.rules.whatif import outcome_with, renamed
from loadproof.types import Axes, Case, Family, Row

# Parts that wrapping modules put into state-dict names, at the front or in the middle, in any order.
WRAPPERS: dict[str, str] = {
    "_orig_mod": "torch.compile",
    "module": "DistributedDataParallel or DeepSpeed",
    "_fsdp_wrapped_module": "FullyShardedDataParallel",
    "_fpw_module": "FullyShardedDataParallel",
    "_checkpoint_wrapped_module": "activation checkpointing",
    "_orig_module": "a recomputation wrapper",
    "_forward_module": "Lightning Fabric",
}
PEFT = ("base_model", "model")
TRIES = 4  # candidates that are proved, the most voted first
STEPS = 4  # renamings in one chain


class Rewrite(Struct, frozen=True):
    """Stored names: wrapper parts are taken out, then the parts `before` become `after` where they first stand.

    `context` are the parts in front of them (indices as ``{}``); it is empty for a change at the front.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()

    def __call__(self, template: str) -> str:
        parts = [part for part in template.split(".") if part not in self.wrappers]
        end = len(self.context) + len(self.before)
        if (self.before or self.after) and _same(parts[:end], self.context + self.before):
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
    steps: list[Rewrite] = []
    while len(steps) < STEPS:
        tried = [(rewrite, _step(case, state, rewrite)) for rewrite in _candidates(case, state)]
        good = [(rewrite, after) for rewrite, after in tried if after is not None]
        if not good:
            break
        rewrite, state = min(good, key=lambda found: count_rows(found[1].rows))
        steps.append(rewrite)
    return _proof(case, tuple(steps), state) if steps else None


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
    stuck = _stuck(outcome.rows, {rewrite(family.template) for family in moved})
    good = filled and not broken and stuck * 4 <= sum(count(family.axes) for family in moved)
    return _State(families, outcome.rows) if good else None


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
    wrappers = wrapper_parts(state.families)
    rows: tuple[Row, ...] = state.rows
    if wrappers:
        stripped = Rewrite(wrappers=wrappers)
        yield stripped
        outcome = outcome_with(case, renamed(state.families, stripped))
        rows = outcome.rows if outcome is not None else ()
    for before, after, context in votes(rows):
        yield Rewrite(before, after, context, wrappers)


def wrapper_parts(families: Iterable[Family]) -> tuple[str, ...]:
    """The known wrapper words in the stored names, in the order of the first name that holds one."""
    found: dict[str, None] = {}
    for family in families:
        for part in family.template.split("."):
            if part in WRAPPERS:
                found[part] = None
    return tuple(found)


def votes(rows: tuple[Row, ...]) -> list[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    """(before, after, context), the most voted first."""
    ballots: Counter[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = Counter()
    for have, want in pairs(rows):
        # The names in the file decide; the reader's own spelling helps where it has already renamed or converted them.
        for name in {have.stored or have.template, have.template}:
            ballots[difference(name, want.template)] += count(want.axes)
    ranked = sorted(ballots.items(), key=lambda item: (-item[1], len(item[0][0]) + len(item[0][1])))
    return [ballot for ballot, _ in ranked[:TRIES]]


def pairs(rows: tuple[Row, ...]) -> Iterator[tuple[Row, Row]]:
    """(unexpected, missing) that may be one tensor under two names: ending, shape and inner indices agree."""
    by_ending: dict[tuple[str, ...], list[Row]] = {}
    for row in of_kind(rows, "unexpected"):
        for ending in _endings(row.template):
            by_ending.setdefault(ending, []).append(row)
    for want in of_kind(rows, "missing"):
        fitting = [row for ending in _endings(want.template) for row in by_ending.get(ending, ())]
        for have in dict.fromkeys(row for row in fitting if _fits(row, want)):
            yield have, want


def _endings(template: str) -> Iterator[tuple[str, ...]]:
    """The last two parts, and those that remain when a module was put in before the last (`router.linear.weight`)."""
    parts = template.split(".")
    yield tuple(parts[-2:])
    if len(parts) > 2:
        yield (parts[-3], parts[-1])


def _fits(have: Row, want: Row) -> bool:
    if have.found is not None and want.expected is not None and have.found != want.expected:
        return False
    shared = min(len(have.axes), len(want.axes))
    return shared == 0 or bool(set(have.axes[-1]) & set(want.axes[-1]))


def difference(have: str, want: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """(before, after, context): what stands between the common ending and the common beginning of two names."""
    old, new = have.split("."), want.split(".")
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    return tuple(old[start:]), tuple(new[start:]), tuple(old[:start])
