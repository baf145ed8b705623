"""Names that came out wrong beside names that are missing: in which stretch of dotted parts do they differ?

An unexpected name and a missing one of equal shape that end alike differ in one stretch; every pair votes for its
difference, weighted by names. No list of models is consulted: only the words that frameworks insert (`lexicon.wrappers`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from loadproof.core.families import count
from loadproof.core.outcome import Row
from loadproof.core.tensors import Family
from loadproof.rules.rows import of_kind

Parts = tuple[str, ...]
Difference = tuple[Parts, Parts, Parts]  # (before, after, context): what stands in front of the change
Vote = tuple[Parts, Parts, Parts, Parts]  # a difference, and the parts that must follow (none: any)

TRIES = 4  # candidates that are proved, the most voted first
STACKS = 8  # layer stacks that are looked at, those with the most names first; a model has one to four
PAIRED = 100  # unexpected families of one ending that are compared with a missing one, the largest first
LONGEST = 3  # parts of a shared beginning that may be a wrapper's


def shared_by_all(families: Iterable[Family]) -> Iterator[Vote]:
    """Parts that every name shares, at the front or behind the layer number: a wrapper around the model or a layer.

    The reader's own renamings may hide such a part from the votes; taking it out needs no pair.
    """
    names = [tuple(family.template.split(".")) for family in families]
    front = _common(names)[:LONGEST]
    for length in range(1, len(front) + 1):
        yield front[:length], (), (), ()
    stacks: dict[Parts, list[Parts]] = {}
    for name in names:
        if "{}" in name:
            front = name[: name.index("{}") + 1]
            stacks.setdefault(front, []).append(name[len(front) :])
    shared = [(context, inside, _common(inside)[:1]) for context, inside in stacks.items() if len(inside) > 1]
    found = [(part, context, len(inside)) for context, inside, part in shared if part]
    for part, context, _ in sorted(found, key=lambda stack: -stack[2])[:STACKS] if len(found) > STACKS else found:
        yield part, (), context, ()


def _common(names: list[Parts]) -> Parts:
    """The longest beginning of all, a last part left to each."""
    if not names:
        return ()
    shared = min(names, key=len)[:-1]
    for name in names:
        while shared != name[: len(shared)]:
            shared = shared[:-1]
    return shared


def votes(rows: tuple[Row, ...]) -> list[Vote]:
    """(before, after, context, followers), the most voted first."""
    return _counted(pairs(rows)) or _counted(pairs(rows, by_rank=True))


def subtrees(rows: tuple[Row, ...]) -> list[Vote]:
    """The same changes for the modules alone that showed them: others may rightly lie at the level that these left."""
    return _counted(pairs(rows), anchored=True)


def _counted(found: Iterable[tuple[Row, Row]], anchored: bool = False) -> list[Vote]:
    ballots: Counter[Difference] = Counter()
    followers: dict[Difference, set[str]] = {}
    for have, want in found:
        # The names in the file decide; the reader's own spelling helps where it has already renamed or converted them.
        for name in {have.stored or have.template, have.template}:
            ballot = difference(name, want.template)
            if is_nesting(ballot, name):
                ballots[ballot] += count(want.axes)
                followers.setdefault(ballot, set()).add(name.split(".")[len(ballot[0]) + len(ballot[2])])
    ranked = sorted(ballots.items(), key=lambda item: (-item[1], len(item[0][0]) + len(item[0][1])))
    return [(*ballot, _anchor(ballot, followers[ballot], anchored)) for ballot, _ in ranked[:TRIES]]


def _anchor(ballot: Difference, followers: set[str], anchored: bool) -> Parts:
    """Parts put in where nothing stands go only before what they were seen before."""
    return () if ballot[0] and not anchored else tuple(sorted(followers))


def is_nesting(ballot: Difference, name: str) -> bool:
    """Whether levels differ, not the tensor itself: `k_proj` and `v_proj` have one shape and are not each other.

    Parts may be put in or taken out anywhere; exchanged they may be only where a module and its leaf still end alike.
    """
    before, after, context = ballot
    ending = len(name.split(".")) - len(context) - len(before)
    return ending >= 1 if not before or not after else ending >= 2


def pairs(rows: tuple[Row, ...], by_rank: bool = False) -> Iterator[tuple[Row, Row]]:
    """(unexpected, missing) that may be one tensor under two names: ending, shape and inner indices agree.

    `by_rank`: the number of dimensions in place of the shape, where a wrong size of the config stands beside wrong names.
    """
    by_ending: dict[tuple[str, ...], list[Row]] = {}
    for row in of_kind(rows, "unexpected"):
        for ending in _endings(row.template):
            by_ending.setdefault(ending, []).append(row)
    for ending, rivals in by_ending.items():
        if len(rivals) > PAIRED:
            by_ending[ending] = sorted(rivals, key=lambda row: -count(row.axes))[:PAIRED]
    for want in of_kind(rows, "missing"):
        fitting = [row for ending in _endings(want.template) for row in by_ending.get(ending, ())]
        for have in dict.fromkeys(row for row in fitting if _fits(row, want, by_rank)):
            yield have, want


def _endings(template: str) -> Iterator[tuple[str, ...]]:
    """The last two parts, and those that remain when a module was put in before the last (`router.linear.weight`)."""
    parts = template.split(".")
    yield tuple(parts[-2:])
    if len(parts) > 2:
        yield (parts[-3], parts[-1])


def _fits(have: Row, want: Row, by_rank: bool) -> bool:
    known = have.found is not None and want.expected is not None
    if known and have.found != want.expected and not (by_rank and len(have.found or ()) == len(want.expected or ())):
        return False
    shared = min(len(have.axes), len(want.axes))
    return shared == 0 or bool(set(have.axes[-1]) & set(want.axes[-1]))


def difference(have: str, want: str) -> Difference:
    """(before, after, context): what stands between the common ending and the common beginning of two names."""
    old, new = have.split("."), want.split(".")
    while old and new and old[-1] == new[-1]:
        old.pop()
        new.pop()
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    return tuple(old[start:]), tuple(new[start:]), tuple(old[:start])
