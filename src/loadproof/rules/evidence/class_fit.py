"""The class that fits: which classes of the release have a place for every stored name, and a name for every place.

The reader ranks its classes by the words of the names; the expectations of the best few decide. The depth of a model, its
number of experts and the order of its kinds of layers are fields, not classes: such differences of indices do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loadproof.config.plan.tensors import feed_forward_from_tensors
from loadproof.core.case import Case
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation, Kin
from loadproof.core.families import fold
from loadproof.core.outcome import Outcome, Row
from loadproof.core.tensors import Axes, Family
from loadproof.rules.evidence.submodules import MULTIMODAL
from loadproof.rules.evidence.whatif import is_judged
from loadproof.rules.rows import of_kind

MOST = 8  # classes whose source is read to answer one question
LEAST_KINDS, MOST_KINDS = 5, 2_000  # kinds of names for which other classes are read
ENOUGH = 3  # classes that fit equally
_NEAR = 0.1
_SHARED = ("architectures", "auto_map")  # fields that name the class, and so cannot help to find another


class Fit(Struct, frozen=True):
    """How the names of a file meet those of one class."""

    kin: Kin
    missing: tuple[str, ...]  # templates
    unexpected: tuple[str, ...]
    mismatched: int  # templates whose shapes differ under the values of the checkpoint's own config

    @property
    def leftover(self) -> int:
        return len(self.missing) + len(self.unexpected)


def stored_families(case: Case) -> tuple[Family, ...]:
    """What the files hold, or what an index promises that the reader does not follow or whose files are not there."""
    if case.manifest.families:
        return case.manifest.families
    names = [name for index in case.inventory.indexes for name in index.weight_map]
    return tuple(Family(template, axes, None, None) for template, axes, _ in fold((name, None) for name in names))


def fitting(case: Case, families: Iterable[Family]) -> tuple[Fit, ...]:
    """The classes, other than that of the case, under which no name is left over; those with the fewest wrong shapes
    first. None where its own class has a place for every name as well, and only a plan or a depth differs."""
    families = tuple(families)
    if not _tells(families):
        return ()
    named = Kin(case.expectation.model_type, case.expectation.class_name)
    if case.expectation.families and not _fit(case, named, case.expectation, case.outcome).leftover:
        return ()
    whole = [fit for fit in _fits(case, families) if not fit.leftover]
    return tuple(sorted(whole, key=lambda fit: fit.mismatched))[:ENOUGH]


def closest(case: Case, families: Iterable[Family]) -> Fit | None:
    """The class under which least is left over, None where that is more than a tenth of the stored kinds of names."""
    stored = tuple(families)
    if not _tells(stored):
        return None
    near = min(_fits(case, stored), key=lambda fit: fit.leftover, default=None)
    return near if near is not None and near.leftover <= _NEAR * len(stored) else None


def _tells(families: Sequence[Family]) -> bool:
    """Whether the names are those of a model: layers, and neither a few kinds of names nor thousands."""
    return LEAST_KINDS <= len(families) <= MOST_KINDS and any(family.axes for family in families)


def told(fits: Sequence[Fit]) -> str:
    """``A (model_type a), equally B (...), C (...)``; what fits by names and less well by shapes is told apart."""
    equal = [fit for fit in fits if fit.mismatched == fits[0].mismatched]
    others = [fit for fit in fits if fit.mismatched != fits[0].mismatched]
    text = _listed(equal[:1]) + (f", equally {_listed(equal[1:])}" if equal[1:] else "")
    return text + (f"; by names alone also {_listed(others)}" if others else "")


def _listed(fits: Sequence[Fit]) -> str:
    return ", ".join(f"{fit.kin.class_name} (model_type {fit.kin.model_type})" for fit in fits)


def _fits(case: Case, families: tuple[Family, ...]) -> Iterator[Fit]:
    found = 0
    for kin in _candidates(case, families):
        fit = fit_of(case, families, kin)
        if fit is not None:
            yield fit
            found += not fit.leftover and not fit.mismatched
        if found == ENOUGH:
            return


def _candidates(case: Case, families: tuple[Family, ...]) -> list[Kin]:
    """The most similar classes, one of each model type."""
    named = case.expectation
    if case.checkpoint is None or not families:
        return []  # an error text: no release is meant
    found: dict[str, Kin] = {}
    names = [family.template for family in families]
    for kin in case.alike(names):
        known = {other.class_name for other in found.values()}
        if _is_bare(kin) and named.class_name and not _is_bare(Kin("", named.class_name)):
            continue
        if kin.class_name != named.class_name and kin.class_name not in known:
            found.setdefault(kin.model_type, kin)
        if len(found) == MOST:
            break
    return list(found.values())


def _is_bare(kin: Kin) -> bool:
    """A backbone, which is no alternative where a class with a head is named."""
    return kin.class_name.endswith("Model") and "Head" not in kin.class_name


def fit_of(case: Case, families: tuple[Family, ...], kin: Kin) -> Fit | None:
    """How these names fit one class, under the checkpoint's config or under the defaults of the class: its config may
    say things that hold for the wrong class only (an untied head, parts of another kind)."""
    found: list[Fit] = []
    for config in (_as_type(case.config, kin.model_type), ModelConfig(None, {"model_type": kin.model_type})):
        fit = _fit_under(case, families, kin, config)
        if fit is not None and not fit.leftover:
            return fit
        found += [] if fit is None else [fit]
    return min(found, key=lambda fit: fit.leftover, default=None)


def _fit_under(case: Case, families: tuple[Family, ...], kin: Kin, config: ModelConfig) -> Fit | None:
    made = case.as_class(kin, config, families)
    if made is None:
        return None
    expectation, outcome = made
    return _fit(case, kin, expectation, outcome) if is_judged(outcome) else None


def _as_type(config: ModelConfig, model_type: str) -> ModelConfig:
    """The config under another model type; parts that are named after the old one follow."""
    raw = {key: value for key, value in config.raw.items() if key not in _SHARED}
    old = raw.get("model_type")
    raw = {key: _part(value, old, model_type) if isinstance(old, str) else value for key, value in raw.items()}
    return replace(config, raw=raw | {"model_type": model_type})


def _part(value: Any, old: str, new: str) -> Any:
    kind = value.get("model_type") if isinstance(value, dict) else None
    if isinstance(kind, str) and kind.startswith(old):
        return value | {"model_type": new + kind.removeprefix(old)}
    return value


def _fit(case: Case, kin: Kin, expectation: Expectation, outcome: Outcome) -> Fit:
    reached = _last_indices((found.target, found.target_axes) for found in outcome.assignments)
    expected = _last_indices((family.template, family.axes) for family in expectation.families)
    hidden = [
        row for row in outcome.ignored if row.kind == "unexpected" and MULTIMODAL.search(row.stored or row.template)
    ]
    others = [
        *of_kind(outcome.rows, "unexpected", "conversion", "misread"),
        *hidden,
    ]  # dropped without a word: no place
    hybrid = _has_its_own_plan(case)
    missing = {row.template for row in of_kind(outcome.rows, "missing") if not _goes_on(row, reached, hybrid)}
    unexpected = {row.stored or row.template for row in others if not _goes_on(row, expected, hybrid)}
    shapes = {row.template for row in of_kind(outcome.rows, "mismatched")}
    return Fit(kin, tuple(sorted(missing)), tuple(sorted(unexpected)), len(shapes))


def _has_its_own_plan(case: Case) -> bool:
    """Whether the tensors show layers of several kinds and miss none: which is which is a field of the right config."""
    plans = (case.tensor_plan, feed_forward_from_tensors(case.manifest.families))
    found = [plan.words for plan in plans if plan is not None]
    return any(None not in words and len(set(words)) > 1 for words in found)


def _last_indices(families: Iterable[tuple[str, Axes]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for template, axes in families:
        last = [max(axis) for axis in axes]
        known = found.setdefault(template, last)
        found[template] = [max(pair) for pair in zip(known, last, strict=False)]
    return found


def _goes_on(row: Row, last: dict[str, list[int]], hybrid: bool) -> bool:
    """Whether the other side knows the template, and the indices of the row begin where it ends (of a hybrid: anywhere)."""
    known = last.get(row.template, [])
    return any(hybrid or min(axis) > end for axis, end in zip(row.axes, known, strict=False))
