"""What a cell of contributions makes of its parameters: a value, a stack, an error (core_model_loading.py:1373)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from loadproof.core.boxes import points
from loadproof.core.expectation import Expected
from loadproof.core.families import join_name, split_name
from loadproof.core.tensors import Axes, Family, Shape
from loadproof.readers.transformers.collect import (
    Cell,
    Contribution,
    Entry,
    entries,
    first_entries,
    first_of,
    multiplicity,
    order_is_the_same_everywhere,
)
from loadproof.readers.transformers.digits import partition, telling_digits_of_text
from loadproof.readers.transformers.operations import run
from loadproof.readers.transformers.pieces import MARKS, Piece, cut, form_of, sample
from loadproof.readers.transformers.rename import Rule
from loadproof.readers.transformers.route import Names
from loadproof.readers.transformers.shapes import ConversionError, Inputs, Target, Tensor, Unknown


class Product(Struct, frozen=True):
    """Parameters that a cell sets: `form` over the cell's box as axes."""

    form: str
    tensor: Tensor
    contributions: tuple[Contribution, ...]
    converted: bool
    as_stored: tuple[Contribution, ...]  # those whose numbers are taken as they are


class Result(Struct, frozen=True):
    """What comes of a cell (or of a part of it)."""

    cell: Cell
    products: tuple[Product, ...] = ()
    losers: tuple[Contribution, ...] = ()
    error: str | None = None  # a conversion error


class Converters:
    """The converters by source pattern. Where two share a pattern, the last one runs (core_model_loading.py:1882)."""

    def __init__(self, rules: Iterable[Rule], names: Names, config: Mapping[str, Any]) -> None:
        self.by_pattern = {pattern: rule for rule in rules if rule.is_converter for pattern in rule.spec.sources}
        self.names, self.config = names, config

    def resolve(self, cell: Cell, family: Expected) -> Iterator[Result]:
        """The results of a cell; it is cut where its members are not treated alike."""
        plain = cell.contributions[0]
        if len(cell.contributions) == 1 and plain.piece.pattern is None and multiplicity(plain) == 1:
            yield Result(cell, (as_it_is(_target_form(family, cell), plain),))
            return
        if self._must_be_single(cell):
            for at in points(cell.box):
                yield self._judge(Cell(tuple((i,) for i in at), cell.contributions), family)
            return
        yield from (self._judge(Cell(box, cell.contributions), family) for box in self._told_apart(cell))

    def _must_be_single(self, cell: Cell) -> bool:
        """Whether the outcome may differ from one member of the cell to the next."""
        if all(len(axis) == 1 for axis in cell.box):
            return False
        rules = {id(self._rule(c)) for c in cell.contributions}
        if len(rules) > 1:
            return True
        rule = self._rule(cell.contributions[0])
        if rule is not None and any(op.name == "Split" for op in rule.spec.operations):
            return True
        return _depends_on_order(cell) and not order_is_the_same_everywhere(cell)

    def _rule(self, contribution: Contribution) -> Rule | None:
        pattern = contribution.piece.pattern
        return None if pattern is None else self.by_pattern[pattern]

    def _told_apart(self, cell: Cell) -> list[Axes]:
        rule = self._rule(cell.contributions[0])
        if rule is None:
            return [cell.box]
        told = frozenset[str]().union(*map(telling_digits_of_text, rule.spec.sources + rule.spec.targets))
        return partition(cell.box, told, frozenset(range(len(cell.box)))) if told else [cell.box]

    def _judge(self, cell: Cell, family: Expected) -> Result:
        ordered = entries(cell) if _depends_on_order(cell) else first_entries(cell)
        rule = self._rule(ordered[0].contribution)
        if rule is None:
            return _first_wins(cell, family, ordered)
        inputs: Inputs = {}
        for entry in ordered:
            times = 1 if _depends_on_order(cell) else multiplicity(entry.contribution)
            key = entry.contribution.piece.pattern or entry.name
            inputs.setdefault(key, []).extend([tensor_of(entry.contribution)] * times)
        name = join_name(family.template, tuple(axis[0] for axis in cell.box))
        dtypes = {entry.contribution.piece.pattern or "": entry.contribution.piece.family.dtype for entry in ordered}
        target = Target(
            name, rule.spec.sources, rule.spec.targets, self._shape, self.config, dtypes, family.any_shape, set()
        )
        try:
            for operation in rule.spec.operations:
                inputs = run(operation, inputs, target)
        except ConversionError as error:
            return Result(cell, error=str(error))
        used = tuple(c for c in cell.contributions if c.piece.pattern in rule.spec.sources)
        losers = tuple(c for c in cell.contributions if c.piece.pattern not in rule.spec.sources)
        as_stored = tuple(c for c in used if c.piece.pattern not in target.decoded)
        return Result(cell, tuple(_products(_target_form(family, cell), cell, inputs, used, as_stored)), losers)

    def _shape(self, name: str) -> Shape | None:
        template, indices = split_name(name)
        for family in self.names.by_template.get(template, ()):
            if all(i in axis for i, axis in zip(indices, family.axes, strict=True)):
                return family.shape
        return None


def tensor_of(contribution: Contribution) -> Tensor:
    shape = contribution.piece.shape
    return Unknown() if shape is None else shape


def _target_form(family: Expected, cell: Cell) -> str:
    return form_of(Family(family.template, cell.box, None, None))


def _depends_on_order(cell: Cell) -> bool:
    """Plain tensors compete for the place; stacked ones only tell their order apart by unlike shapes."""
    by_pattern: dict[str | None, set[Shape | None]] = {}
    for contribution in cell.contributions:
        by_pattern.setdefault(contribution.piece.pattern, set()).add(contribution.piece.shape)
    return None in by_pattern or any(len(shapes) > 1 for shapes in by_pattern.values())


def _first_wins(cell: Cell, family: Expected, ordered: list[Entry]) -> Result:
    """A plain key came first: it fills the parameter, everything after it vanishes unreported."""
    first = ordered[0].contribution
    winner, rest = first_of(first)
    losers = (*rest, *(c for c in cell.contributions if c is not first))
    return Result(cell, (as_it_is(_target_form(family, cell), winner),), losers)


def as_it_is(form: str, contribution: Contribution) -> Product:
    """A stored tensor that fills its parameter as it is."""
    return Product(form, tensor_of(contribution), (contribution,), False, (contribution,))


def _products(
    form: str, cell: Cell, inputs: Inputs, used: tuple[Contribution, ...], as_stored: tuple[Contribution, ...]
) -> Iterator[Product]:
    """Name the outputs: the part of the full name that equals an output key is replaced by each key in turn."""
    member = sample(form, cell.box)
    full = member.text.replace("*.", "0.")
    hit = next((key for key in inputs if key in full), None)
    for key, tensors in inputs.items():
        named = key
        if hit is not None:
            begin = full.index(hit)
            head, tail = cut(member, 0, begin), cut(member, begin + len(hit), len(full))
            assert head is not None
            assert tail is not None
            named = head + key + tail
        yield Product(named, tensors[0], used, True, as_stored)


def as_piece(product: Product, box: Axes) -> Piece:
    """A product as something whose names can be looked up; its axes are those of the cell."""
    return Piece(Family(".".join("{}" for _ in box), box, None, None), box, product.form)


__all__ = ["MARKS", "Converters", "Product", "Result", "as_it_is", "as_piece", "tensor_of"]
