"""What has been found while a load is followed: assignments, rows, losers, and what was set."""

from __future__ import annotations

from loadproof.core.boxes import Nearby, subtract_all
from loadproof.core.expectation import Expectation, Expected
from loadproof.core.outcome import Assignment, Row, RowKind
from loadproof.core.tensors import Axes
from loadproof.readers.transformers.collect import Contribution
from loadproof.readers.transformers.convert import Product, Result, as_piece
from loadproof.readers.transformers.ignore import Ignore, patterns_of
from loadproof.readers.transformers.misreading import is_misread
from loadproof.readers.transformers.pieces import Piece, Place, place, target_axes
from loadproof.readers.transformers.release import semantics_of
from loadproof.readers.transformers.route import Names
from loadproof.readers.transformers.shapes import Tensor, Unknown
from loadproof.readers.transformers.ties import Boxes


class Ledger:
    """Raises `re.error` where an ignore pattern of the class cannot be used."""

    def __init__(self, expectation: Expectation) -> None:
        self.expectation = expectation
        self.semantics = semantics_of(expectation.version)
        self.names = Names(expectation.families)
        for_missing, for_unexpected = patterns_of(expectation, self.semantics)
        self.ignore_missing, self.ignore_unexpected = Ignore(for_missing), Ignore(for_unexpected)
        self.rows: list[Row] = []
        self.ignored: list[Row] = []
        self.dropped: list[Row] = []
        self.assignments: list[Assignment] = []
        self.set: Boxes = {}
        self.crash: str | None = None  # an exception before any report is written
        self.unknown: list[str] = []  # conversions that are not modelled
        self.unjudged = 0  # tensors whose shape is not known
        self._strays: dict[tuple[str, int], tuple[Nearby, Nearby]] = {}  # under their stored name, and renamed

    def missing(self) -> Boxes:
        """Names of the model that nothing has set."""
        return {
            template: subtract_all([family.axes for family in families], self.set.get(template, ()))
            for template, families in self.names.by_template.items()
        }

    def record(self, family: Expected, result: Result) -> None:
        """Enter what came of the contributions to a cell of `family`."""
        if result.error is not None:
            self._conversion_error(family, result, result.error)
        for product in result.products:
            self.fill(product, result.cell.box)
        for loser in result.losers:
            self.lose(family.template, result.cell.box, loser)

    def fill(self, product: Product, box: Axes) -> None:
        """A value for the parameters `product` names, over the cell `box`."""
        found, strange = self.names.split(as_piece(product, box), product.form)
        for arrival in found:
            assert arrival.expected is not None
            axes = target_axes(arrival.place.slots, arrival.piece.axes)
            self.set.setdefault(arrival.expected.template, []).append(axes)
            self._assign(product, arrival.expected, axes, arrival.piece.axes)
            if not self._fits(product.tensor, arrival.expected):
                self._mismatch(product, arrival.expected, axes, arrival.piece.axes)
            elif arrival.expected.kind == "parameter" and _misread_by(product, arrival.expected):
                self._misread(product, arrival.expected, axes, arrival.piece.axes)
        for piece in strange:
            template = place(piece.form).template
            if self.crash is None and template not in self.expectation.buffer_names:
                self.crash = self._no_such_parameter(template)

    def lose(self, template: str, box: Axes, loser: Contribution) -> None:
        """A stored tensor that another one beats to its place; the library says nothing."""
        self.dropped.append(_row("unexpected", template, box, loser.piece, loser.at(box)))

    def stray(self, piece: Piece, target: Place, shown: Place | None = None) -> None:
        """Stored tensors that arrive at a name the model has not; reported once per name, as `shown` where given."""
        whole = target_axes(target.slots, piece.axes)
        plain, renamed = self._strays.setdefault((target.template, len(whole)), (Nearby(), Nearby()))
        is_plain = target.template == piece.family.template and target.slots == tuple(range(len(piece.axes)))
        taken = renamed.boxes_near(whole)
        if not is_plain:  # stored names are all different
            taken += plain.boxes_near(whole)
        for axes in subtract_all([whole], taken):
            (plain if is_plain else renamed).add(axes)
            hit, miss = self.ignore_unexpected.split(target.template, axes)
            self.ignored += [_stray_row(piece, target, shown or target, box) for box in hit]
            self.rows += [_stray_row(piece, target, shown or target, box) for box in miss]

    def _assign(self, product: Product, family: Expected, axes: Axes, cell: Axes) -> None:
        for contribution in product.contributions:
            stored = contribution.piece.family
            at = contribution.at(cell)
            self.assignments.append(
                Assignment(stored.template, at, family.template, axes, product.converted, stored.dtype, stored.shape)
            )

    def _fits(self, tensor: Tensor, family: Expected) -> bool:
        if family.any_shape:
            return True
        if not isinstance(tensor, Unknown):
            return tensor == family.shape
        self.unjudged += 1
        if tensor.stacked is None:
            return True
        dim, number = tensor.stacked
        return not (0 <= dim < len(family.shape)) or family.shape[dim] == number

    def _mismatch(self, product: Product, family: Expected, axes: Axes, cell: Axes) -> None:
        tensor, first = product.tensor, product.contributions[0]
        shape, text = None, ""
        if not isinstance(tensor, Unknown):
            shape = tensor
        elif tensor.stacked is not None:
            dim, number = tensor.stacked
            text = f"{number} tensors are stacked where the model has {family.shape[dim]}"
        stored = first.piece.family
        files = _files(product.contributions)
        self.rows.append(
            Row(
                "mismatched",
                family.template,
                axes,
                family.shape,
                shape,
                stored.template,
                files,
                stored.dtype,
                text,
                first.at(cell),
            )
        )

    def _misread(self, product: Product, family: Expected, axes: Axes, cell: Axes) -> None:
        """The library casts whatever it reads to the dtype of the parameter; scales and packing are not undone."""
        first = _misread_by(product, family)[0]
        stored, files = first.piece.family, _files(product.contributions)
        found, at = stored.shape, first.at(cell)
        row = Row("misread", family.template, axes, family.shape, found, stored.template, files, stored.dtype, "", at)
        self.rows.append(row)

    def _conversion_error(self, family: Expected, result: Result, text: str) -> None:
        contributions, box = result.cell.contributions, result.cell.box
        first = contributions[0]
        stored = first.piece.family
        self.rows.append(
            Row(
                "conversion",
                family.template,
                box,
                family.shape,
                stored.shape,
                stored.template,
                _files(contributions),
                stored.dtype,
                text,
                first.at(box),
            )
        )

    def _no_such_parameter(self, template: str) -> str:
        """A conversion rule named a parameter that does not exist: `Module.get_submodule` raises."""
        first = template.split(".")[0]
        roots = {name.split(".")[0] for name in (*self.names.by_template, *self.expectation.buffer_names)}
        if first in roots:
            return f"AttributeError: the model has no parameter {template!r}, which a conversion rule produces"
        return f"AttributeError: {self.expectation.class_name} has no attribute `{first}`"


def _misread_by(product: Product, family: Expected) -> list[Contribution]:
    """The stored tensors whose numbers the parameter would take as they are, though they are no weights."""
    return [one for one in product.as_stored if is_misread(one.piece.family.dtype, family)]


def _files(contributions: tuple[Contribution, ...]) -> tuple[str, ...]:
    return tuple(sorted({file for c in contributions for file in c.piece.family.files}))


def _stray_row(piece: Piece, target: Place, shown: Place, axes: Axes) -> Row:
    return _row("unexpected", shown.template, axes, piece, Contribution(piece, target.slots, axes).at(axes))


def _row(kind: RowKind, template: str, axes: Axes, piece: Piece, stored_axes: Axes) -> Row:
    stored = piece.family
    return Row(kind, template, axes, None, stored.shape, stored.template, stored.files, stored.dtype, "", stored_axes)
