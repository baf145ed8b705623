"""Stored families on their way to parameters.

A `Piece` is a part of a stored family together with the name it has so far, its *form*: text in which the index on axis
``k`` of the stored family is the one character ``MARKS[k]``. A marker always is a whole dot part; where a rule breaks
that (it reads the number, or glues it to a word) the piece is cut into single indices and the number is written out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product

from msgspec import Struct

from loadproof.core.boxes import Axis, common, subtract
from loadproof.core.families import HOLE, split_name
from loadproof.core.tensors import Axes, Family, Shape

# Lone surrogates cannot occur in a UTF-8 header, so a marker is never part of a real name.
_FIRST = 0xD800
MARKS = tuple(chr(_FIRST + k) for k in range(64))
_MARK = re.compile(f"[{MARKS[0]}-{MARKS[-1]}]")
_NOT_TEXT = re.compile("[\ud800-\udfff]")

Slot = int | Axis  # an axis of the stored family, or a constant index


class Piece(Struct, frozen=True):
    """`axes` are the members of `family` that share this way; `pattern` is the converter source that took them."""

    family: Family
    axes: Axes
    form: str
    pattern: str | None = None

    @property
    def shape(self) -> Shape | None:
        return self.family.shape


def start(family: Family) -> list[Piece]:
    """The pieces of a stored family before any rule: one, unless its name cannot carry markers."""
    if len(family.axes) > len(MARKS):
        return [Piece(family, tuple((i,) for i in at), write_out(family.template, at)) for at in product(*family.axes)]
    return [Piece(family, family.axes, form_of(family))]


@lru_cache(maxsize=8192)
def _form_of(template: str, width: int) -> str:
    text = _NOT_TEXT.sub("\ufffd", template)
    pieces = text.split(HOLE) if width else [text]
    return pieces[0] + "".join(mark + piece for mark, piece in zip(MARKS, pieces[1:], strict=False))


def form_of(family: Family) -> str:
    """The form of a family's own name."""
    return _form_of(family.template, len(family.axes))


def write_out(template: str, indices: tuple[int, ...]) -> str:
    pieces = _NOT_TEXT.sub("\ufffd", template).split(HOLE)
    return pieces[0] + "".join(f"{i}{piece}" for i, piece in zip(indices, pieces[1:], strict=True))


def used_axes(form: str) -> frozenset[int]:
    """The stored axes whose index is still part of the name."""
    return frozenset(ord(mark) - _FIRST for mark in _MARK.findall(form))


class Sample(Struct, frozen=True):
    """One member of a piece as plain text; `spans` says where its indices stand: (begin, end, axis)."""

    text: str
    spans: tuple[tuple[int, int, int], ...]


def sample(form: str, axes: Axes) -> Sample:
    """The first member of a piece, with the places of its indices."""
    out, spans, length, last = [], [], 0, 0
    for found in _MARK.finditer(form):
        axis = ord(found[0]) - _FIRST
        word, digits = form[last : found.start()], str(axes[axis][0])
        length += len(word)
        spans.append((length, length + len(digits), axis))
        length += len(digits)
        out += [word, digits]
        last = found.end()
    return Sample("".join(out) + form[last:], tuple(spans))


def cut(member: Sample, begin: int, end: int) -> str | None:
    """The form of ``text[begin:end]``; None when the cut goes through an index."""
    out, at = [], begin
    for first, last, axis in member.spans:
        if last <= begin or first >= end:
            continue
        if first < begin or last > end:
            return None
        out += [member.text[at:first], MARKS[axis]]
        at = last
    return "".join(out) + member.text[at:end]


class Place(Struct, frozen=True):
    """A form as a template of names; one slot for each ``{}``."""

    template: str
    slots: tuple[Slot, ...]


@lru_cache(maxsize=65536)
def place(form: str) -> Place:
    """The template a form stands for. Written-out numbers become ``{}`` with a constant slot, as `split_name` does."""
    if "{" in form or "}" in form:
        return Place(form, ())
    template, slots = [], []
    for part in form.split("."):
        name, index = split_name(part)
        if len(part) == 1 and _MARK.match(part):
            template.append(HOLE)
            slots.append(ord(part) - _FIRST)
        else:
            template.append(name)
            slots += [index] if index else []  # type: ignore[list-item]
    return Place(".".join(template), tuple(slots))


def target_axes(slots: tuple[Slot, ...], axes: Axes) -> Axes:
    """The axes of the template, given those of the piece."""
    return tuple(axes[slot] if isinstance(slot, int) else slot for slot in slots)


def dropped_axes(slots: tuple[Slot, ...], axes: Axes) -> tuple[int, ...]:
    """Stored axes that the template no longer shows (expert numbers that a stack has eaten)."""
    return tuple(k for k in range(len(axes)) if k not in slots)


def within(axes: Axes, slots: tuple[Slot, ...], other: Axes) -> Axes | None:
    """The part of a piece whose target lies in the box `other`; None when there is none."""
    box = list(axes)
    for slot, axis in zip(slots, other, strict=True):
        if isinstance(slot, int):
            box[slot] = common(box[slot], axis)
            if not box[slot]:
                return None
        elif slot[0] not in axis:
            return None
    return tuple(box)


def outside(axes: Axes, inner: Axes | None) -> list[Axes]:
    """What is left of a piece without `inner`."""
    return [axes] if inner is None else subtract(axes, inner)


def is_clean(form: str) -> bool:
    """Whether every marker is a whole dot part and stands there once."""
    marks = _MARK.findall(form)
    if not marks:
        return True
    if "{" in form or "}" in form or len(set(marks)) < len(marks):
        return False
    return sum(len(part) == 1 and part in MARKS for part in form.split(".")) == len(marks)


def spelled(form: str, axes: Axes) -> str:
    """The form with its markers written out; every used axis must hold one index."""
    return sample(form, axes).text
