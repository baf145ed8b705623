"""LP802 adapter-prefix: the names of the adapter are not those of this base, and a renaming makes them so."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RenameTensors
from loadproof.core.families import as_products, show, split_name
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import NOWHERE, in_files
from loadproof.core.tensors import Axes
from loadproof.lexicon.wrappers import WRAPPERS
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.adapters import (
    effect,
    expected_sizes,
    is_whole,
    load_of,
    moved,
    right_names,
    stored_sizes,
)
from loadproof.rules.evidence.wording import plural

Pair = tuple[str, str, Axes]


def check(case: Case) -> Iterable[Found]:
    """Each stored name has exactly one partner of its shape; with these names the load is whole."""
    if is_whole(case.outcome):
        return
    load, stored = load_of(case), stored_sizes(case)
    names = right_names(stored, expected_sizes(load)) if stored else None
    wrong = {old: new for old, new in (names or {}).items() if old != new}
    if names is None or not wrong or not is_whole(case.what_if(families=moved(case.manifest.families, names))):
        return
    yield Found(
        severity="error",
        confidence="certain",
        headline=f"{len(wrong):,} of {plural(len(stored), 'stored name')} are not those of {load.model_class}: {_what(wrong)}",
        evidence=tuple(_evidence(case, wrong)),
        rows=case.outcome.rows,
        fixes=(
            Fix(f"rename {plural(len(wrong), 'tensor')} in the header", "lossless", (RenameTensors(_pairs(wrong)),)),
        ),
        notes=(*effect(case), *_origin(wrong), Note("note", "under the right names every parameter gets its tensor")),
    )


def _what(wrong: dict[str, str]) -> str:
    """The parts that are too many and those that are missing, by the first name."""
    old, new = next(iter(wrong.items()))
    before, after = old.split("."), new.split(".")
    begin = next(
        (i for i, pair in enumerate(zip(before, after, strict=False)) if pair[0] != pair[1]),
        min(len(before), len(after)),
    )
    end = 0
    while end < min(len(before), len(after)) - begin and before[-1 - end] == after[-1 - end]:
        end += 1
    gone, come = ".".join(before[begin : len(before) - end]), ".".join(after[begin : len(after) - end])
    if not gone:
        return f"they lack '{come}.'"
    return f"they have '{gone}.' too many" if not come else f"'{gone}' stands where '{come}' is wanted"


def _evidence(case: Case, wrong: dict[str, str]) -> Iterable[Evidence]:
    folded = _pairs(wrong)
    for old, new, axes in folded[:3]:
        yield Evidence(in_files(case.selection.files), f"{show(old, axes)}, wanted as {show(new, axes)}")
    if len(folded) > 3:
        yield Evidence(NOWHERE, f"and {plural(len(folded) - 3, 'more set')} of names", "note")


def _origin(wrong: dict[str, str]) -> tuple[Note, ...]:
    old, new = next(iter(wrong.items()))
    words = [part for part in old.split(".") if part in WRAPPERS and part not in new.split(".")]
    return (Note("origin", WRAPPERS[words[0]]),) if words else ()


def _pairs(wrong: dict[str, str]) -> tuple[Pair, ...]:
    """Old and new templates over the same indices; one by one where the numbers change."""
    groups: dict[tuple[str, str], list[tuple[int, ...]]] = {}
    single: list[Pair] = []
    for old, new in wrong.items():
        (old_template, indices), (new_template, others) = split_name(old), split_name(new)
        if indices and indices == others:
            groups.setdefault((old_template, new_template), []).append(indices)
        else:
            single.append((old, new, ()))
    return (*single, *(pair for names, found in groups.items() for pair in _products(names, found)))


def _products(names: tuple[str, str], indices: list[tuple[int, ...]]) -> Iterable[Pair]:
    return ((*names, axes) for axes in as_products(indices))


RULE = Rule(
    code="LP802",
    slug="adapter-prefix",
    group="adapters",
    title="The names of the adapter are not those of this base",
    check=check,
    absorbs=("LP803", "LP805", "LP806", "LP807", "LP808", "LP809", "LP811"),
)
