"""The load report of transformers 5, family by family (core_model_loading.py:1748, modeling_utils.py:4605)."""

from __future__ import annotations

import re

from loadproof.families import count
from loadproof.readers.boxes import intersect, merge, subtract_all
from loadproof.readers.transformers.collect import Contribution, cells
from loadproof.readers.transformers.convert import Converters, Product, Result, as_piece
from loadproof.readers.transformers.ignore import Ignore, patterns_of
from loadproof.readers.transformers.operations import NotModelledError, Tensor, Unknown
from loadproof.readers.transformers.pieces import Piece, Place, place, start, target_axes
from loadproof.readers.transformers.rename import Rule, apply_rules
from loadproof.readers.transformers.route import Arrival, Names, settle
from loadproof.readers.transformers.ties import Boxes, fill
from loadproof.types import Assignment, Axes, Expectation, Expected, Family, Manifest, Outcome, Row, Skip

CONVERSION_TEXT = (
    "RuntimeError: We encountered some issues during automatic conversion of the weights. For details look at the "
    "`CONVERSION` entries of the above report!"
)
MISMATCH_TEXT = (
    "RuntimeError: You set `ignore_mismatched_sizes` to `False`, thus raising an error. For details look at the above "
    "report!"
)


class Ledger:
    """What has been found so far while a load is followed."""

    def __init__(self, expectation: Expectation) -> None:
        self.expectation = expectation
        self.names = Names(expectation.families)
        self.rows: list[Row] = []
        self.dropped: list[Row] = []
        self.assignments: list[Assignment] = []
        self.set: Boxes = {}
        self.crash: str | None = None
        self.ignored: list[Row] = []
        self.unknown: list[str] = []
        for_missing, for_unexpected = patterns_of(expectation)
        self.ignore_missing, self.ignore_unexpected = Ignore(for_missing), Ignore(for_unexpected)
        self.unjudged = 0

    def missing(self) -> Boxes:
        """Names of the model that nothing has set."""
        return {
            template: subtract_all([family.axes for family in families], self.set.get(template, ()))
            for template, families in self.names.by_template.items()
        }


def predict_v5(manifest: Manifest, expectation: Expectation) -> Outcome:
    """The outcome of loading `manifest` into the class of `expectation`, without quantizer."""
    try:
        ledger = Ledger(expectation)
    except re.error as error:
        return Outcome(inconclusive=f"an ignore pattern of the model class is not a regular expression: {error}")
    rules = [Rule(rule) for rule in expectation.rules]
    pieces = apply_rules([piece for family in manifest.families for piece in start(family)], rules)
    arrivals = [a for piece in pieces for a in settle(piece, ledger.names, expectation.base_model_prefix)]
    converters = Converters(rules, ledger.names, expectation.config)
    _collect(ledger, converters, arrivals)
    _unexpected(ledger, converters, [arrival for arrival in arrivals if arrival.expected is None])
    return close(ledger, manifest)


def _collect(ledger: Ledger, converters: Converters, arrivals: list[Arrival]) -> None:
    by_family: dict[int, tuple[Expected, list[Arrival]]] = {}
    for arrival in arrivals:
        if arrival.expected is not None:
            by_family.setdefault(id(arrival.expected), (arrival.expected, []))[1].append(arrival)
    for family, found in by_family.values():
        for cell in cells(found):
            try:
                for result in converters.resolve(cell, family):
                    _record(ledger, family, result)
            except NotModelledError as error:
                ledger.unknown.append(f"{family.template}: conversion {error} is not known")
                ledger.set.setdefault(family.template, []).append(cell.box)


def _record(ledger: Ledger, family: Expected, result: Result) -> None:
    box = result.cell.box
    if result.error is not None:
        stored = result.cell.contributions[0]
        ledger.rows.append(
            Row(
                "conversion",
                family.template,
                box,
                expected=family.shape,
                stored=stored.piece.family.template,
                files=_files(result.cell.contributions),
                dtype=stored.piece.family.dtype,
                text=result.error,
                stored_axes=stored.at(box),
            )
        )
    for product in result.products:
        _set(ledger, product, box)
    for loser in result.losers:
        ledger.dropped.append(_row("unexpected", family.template, box, loser.piece.family, loser.at(box)))


def _set(ledger: Ledger, product: Product, box: Axes) -> None:
    found, strange = ledger.names.split(as_piece(product, box), product.form)
    for arrival in found:
        assert arrival.expected is not None
        axes = target_axes(arrival.place.slots, arrival.piece.axes)
        ledger.set.setdefault(arrival.expected.template, []).append(axes)
        _assign(ledger, product, arrival.expected, axes, arrival.piece.axes)
        if not _fits(ledger, product.tensor, arrival.expected):
            _mismatch(ledger, product, arrival.expected, axes, arrival.piece.axes)
    for piece in strange:
        template = place(piece.form).template
        if template not in ledger.expectation.buffer_names and ledger.crash is None:
            ledger.crash = _strange(ledger, template)


def _strange(ledger: Ledger, template: str) -> str:
    """A conversion rule named a parameter that does not exist: `Module.get_submodule` raises."""
    first = template.split(".")[0]
    roots = {name.split(".")[0] for name in (*ledger.names.by_template, *ledger.expectation.buffer_names)}
    if first in roots:
        return f"AttributeError: the model has no parameter {template!r}, which a conversion rule produces"
    return f"AttributeError: {ledger.expectation.class_name} has no attribute `{first}`"


def _assign(ledger: Ledger, product: Product, family: Expected, axes: Axes, cell: Axes) -> None:
    for contribution in product.contributions:
        stored = contribution.piece.family
        ledger.assignments.append(
            Assignment(
                stored.template,
                contribution.at(cell),
                family.template,
                axes,
                product.converted,
                stored.dtype,
                stored.shape,
            )
        )


def _fits(ledger: Ledger, tensor: Tensor, family: Expected) -> bool:
    if not isinstance(tensor, Unknown):
        return tensor == family.shape
    ledger.unjudged += 1
    if tensor.stacked is None:
        return True
    dim, number = tensor.stacked
    return not (0 <= dim < len(family.shape)) or family.shape[dim] == number


def _mismatch(ledger: Ledger, product: Product, family: Expected, axes: Axes, cell: Axes) -> None:
    first = product.contributions[0]
    tensor, text = product.tensor, ""
    if isinstance(tensor, Unknown) and tensor.stacked is not None:
        dim, number = tensor.stacked
        text = f"{number} tensors are stacked where the model has {family.shape[dim]}"
    ledger.rows.append(
        Row(
            "mismatched",
            family.template,
            axes,
            family.shape,
            None if isinstance(tensor, Unknown) else tensor,
            first.piece.family.template,
            _files(product.contributions),
            first.piece.family.dtype,
            text,
            first.at(cell),
        )
    )


def _files(contributions: tuple[Contribution, ...]) -> tuple[str, ...]:
    return tuple(sorted({file for c in contributions for file in c.piece.family.files}))


def _row(kind: str, template: str, axes: Axes, stored: Family, stored_axes: Axes, text: str = "") -> Row:
    return Row(
        kind,  # type: ignore[arg-type]
        template,
        axes,
        None,
        stored.shape,
        stored.template,
        stored.files,
        stored.dtype,
        text,
        stored_axes,
    )


def _unexpected(ledger: Ledger, converters: Converters, arrivals: list[Arrival]) -> None:
    """A name the model has not. An unmatched converter lists all its targets, names that are not in the file."""
    seen: Boxes = {}
    for arrival in arrivals:
        for target in _unexpected_places(arrival.piece, arrival.place, converters):
            boxes = seen.setdefault(target.template, [])
            whole = target_axes(target.slots, arrival.piece.axes)
            for axes in subtract_all([whole], boxes):
                boxes.append(axes)
                hit, miss = ledger.ignore_unexpected.split(target.template, axes)
                ledger.ignored += [_stray(arrival.piece, target, box) for box in hit]
                ledger.rows += [_stray(arrival.piece, target, box) for box in miss]


def _stray(piece: Piece, target: Place, axes: Axes) -> Row:
    stored_axes = Contribution(piece, target.slots, axes).at(axes)
    return _row("unexpected", target.template, axes, piece.family, stored_axes)


def _unexpected_places(piece: Piece, found: Place, converters: Converters) -> list[Place]:
    if piece.pattern is None:
        return [found]
    targets = converters.by_pattern[piece.pattern].spec.targets
    return [place(piece.form.replace(targets[0], target)) for target in targets]


def close(ledger: Ledger, manifest: Manifest) -> Outcome:
    """Ties, ignore patterns, and what is raised, in the library's order."""
    missing = ledger.missing()
    tied = fill(missing, ledger.expectation.ties)
    kept, ignored = _part(_missing_rows(ledger, missing), ledger.ignore_missing)
    rows = [*kept, *ledger.rows]
    raises, text = _raised(ledger, manifest, rows)
    return Outcome(
        rows=tuple(rows),
        assignments=tuple(ledger.assignments),
        raises=raises,
        error=text,
        ignored=(*ignored, *ledger.ignored),
        dropped=tuple(ledger.dropped),
        tied=tied,
        skipped=_skipped(ledger, manifest),
        inconclusive=ledger.unknown[0] if ledger.unknown else None,
    )


def _missing_rows(ledger: Ledger, missing: Boxes) -> list[Row]:
    rows = []
    for template, boxes in missing.items():
        for axes in merge(boxes):
            for family in ledger.names.by_template[template]:
                box = intersect(axes, family.axes) if len(axes) == len(family.axes) else None
                if box is not None:
                    rows.append(Row("missing", template, box, family.shape))
    return rows


def _part(rows: list[Row], ignore: Ignore) -> tuple[list[Row], list[Row]]:
    """(rows that no pattern matches, rows that one matches); families are cut where a pattern takes some members."""
    kept: list[Row] = []
    ignored: list[Row] = []
    for row in rows:
        hit, miss = ignore.split(row.template, row.axes)
        ignored += [Row(row.kind, row.template, axes, row.expected) for axes in hit]
        kept += [Row(row.kind, row.template, axes, row.expected) for axes in miss]
    return kept, ignored


def _raised(ledger: Ledger, manifest: Manifest, rows: list[Row]) -> tuple[bool, str | None]:
    broken = next((p.breaks for p in manifest.problems if p.breaks is not None), None)
    kinds = {row.kind for row in rows}
    text = broken or ledger.crash
    if text is None and "conversion" in kinds:
        text = CONVERSION_TEXT
    if text is None and "mismatched" in kinds:
        text = MISMATCH_TEXT
    return text is not None, text


def _skipped(ledger: Ledger, manifest: Manifest) -> tuple[Skip, ...]:
    skips = list(manifest.skipped)
    if ledger.unjudged:
        names = sum(count(f.axes) for f in manifest.families if f.shape is None)
        skips.append(Skip(f"shapes and dtypes of {names} tensors", "only names are known"))
    skips += [Skip("a conversion", text) for text in ledger.unknown]
    return tuple(skips)
