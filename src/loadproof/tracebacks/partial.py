"""The names that an error text reports, as a partial case: what the rules need, as far as a text can tell it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product

from loadproof.config.plan.tensors import plan_from_tensors
from loadproof.core.case import Case
from loadproof.core.checkpoint import Inventory, Manifest, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation, Expected
from loadproof.core.families import count, fold
from loadproof.core.outcome import Assignment, Outcome, Row
from loadproof.core.symptom import Symptom
from loadproof.core.tensors import Axes, Family, Shape

CLASS = "the model"  # what findings call the class, which a text seldom names
_UNKNOWN: Shape = ()  # of a missing parameter: rules that ask for a matrix do not find one
_HOLE = re.compile(r"\{[^{}\n]{0,60}\}|<[^<>\n]{0,60}>|\*")
_RANGE = re.compile(r"(\d{1,6}) ?(?:\.{2,3}|-|:) ?(\d{1,6})")
_MOST = 4_000  # names that one reported name may stand for


def partial_case(symptom: Symptom) -> Case:
    """The case of the reported names: what is unexpected or of another size is stored, the rest is only expected.

    There is no config and no release behind it: names are compared as they are, without any reader's renaming rules.
    """
    missing = [(template, axes) for template, axes, _ in fold((name, None) for name in spelled_out(symptom.missing))]
    extra = [(template, axes) for template, axes, _ in fold((name, None) for name in spelled_out(symptom.unexpected))]
    sizes = fold((name, (m.stored, m.wanted)) for m in symptom.mismatched for name in spelled_out((m.name,)))
    stored = (*(Family(t, a, None, None) for t, a in extra), *(Family(t, a, None, sides[0]) for t, a, sides in sizes))
    wanted = (*(Expected(t, a, _UNKNOWN) for t, a in missing), *(Expected(t, a, sides[1]) for t, a, sides in sizes))
    rows = (
        *(Row("missing", template, axes) for template, axes in missing),
        *(Row("unexpected", template, axes, stored=template) for template, axes in extra),
        *(_mismatched(template, axes, *sides) for template, axes, sides in sizes),
    )
    number = sum(count(family.axes) for family in stored)
    return Case(
        Inventory("text", ()),
        Selection("text", (), "names-only"),
        Manifest("names-only", (), stored, number, 0, names_only=True),
        ModelConfig(None, {}),
        Expectation("transformers", "", CLASS, "", "none", families=wanted),
        Outcome(rows, tuple(Assignment(t, a, t, a, shape=sides[0]) for t, a, sides in sizes)),
        tensor_plan=plan_from_tensors(stored),
        symptom=symptom,
    )


def _mismatched(template: str, axes: Axes, found: Shape, expected: Shape) -> Row:
    return Row("mismatched", template, axes, expected, found, stored=template)


def spelled_out(names: Iterable[str]) -> Iterator[str]:
    """Every name that these stand for: ``layers.{0...3}.x`` is four. A hole that names no numbers is one of them."""
    for name in names:
        pieces = _HOLE.split(name)
        choices = [_choices(hole) for hole in _HOLE.findall(name)]
        for chosen in islice(product(*choices), _MOST):
            yield pieces[0] + "".join(word + piece for word, piece in zip(chosen, pieces[1:], strict=True))


def _choices(hole: str) -> list[str]:
    text = hole.strip("{}<> ")
    span = _RANGE.fullmatch(text)
    if span:
        return [str(number) for number in range(int(span[1]), min(int(span[2]), int(span[1]) + _MOST) + 1)]
    words = [word.strip() for word in text.split(",")]
    if len(words) > 1:
        return [word for word in words if re.fullmatch(r"\w{1,40}", word)] or ["0"]
    return [text] if text.isdigit() else ["0"]
