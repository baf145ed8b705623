"""The load report of transformers 5, family by family (core_model_loading.py:1748, modeling_utils.py:4605)."""

from __future__ import annotations

from loadproof.core.checkpoint import Manifest
from loadproof.core.expectation import Expectation, Expected
from loadproof.core.outcome import Outcome
from loadproof.core.tensors import Family
from loadproof.readers.transformers.closing import close
from loadproof.readers.transformers.collect import cells
from loadproof.readers.transformers.convert import Converters
from loadproof.readers.transformers.ignore import LONGEST_NAME
from loadproof.readers.transformers.ledger import Ledger
from loadproof.readers.transformers.pieces import Piece, Place, place, start
from loadproof.readers.transformers.private import loading_of
from loadproof.readers.transformers.rename import Rule, apply_rules
from loadproof.readers.transformers.route import Arrival, settle
from loadproof.readers.transformers.shapes import NotModelledError
from loadproof.readers.transformers.ties import fill


def predict_v5(manifest: Manifest, expectation: Expectation) -> Outcome:
    """The outcome of loading `manifest` into the class of `expectation`, without quantizer."""
    ledger = Ledger(expectation)
    rules = [Rule(rule, ledger.semantics) for rule in loading_of(expectation).rules]
    short, hostile = by_length(manifest)
    pieces = apply_rules([piece for family in short for piece in start(family)], rules)
    own_names, prefix = ledger.semantics.knows_own_names, expectation.base_model_prefix
    arrivals = [arrival for piece in pieces for arrival in settle(piece, ledger.names, prefix, own_names)]
    arrivals += [Arrival(piece, place(piece.form), None) for family in hostile for piece in start(family)]
    converters = Converters(rules, ledger.names, expectation.config)
    _collect(ledger, converters, arrivals)
    for arrival in arrivals:
        if arrival.expected is None:
            for target in _unexpected(arrival.piece, arrival.place, converters):
                ledger.stray(arrival.piece, target)
    missing = ledger.missing()
    tied = fill(missing, expectation.ties)
    return close(ledger, manifest, missing, tied)


def by_length(manifest: Manifest) -> tuple[list[Family], list[Family]]:
    """(families to which rules are applied, families whose names are too long to be anything but hostile)."""
    short = [family for family in manifest.families if len(family.template) <= LONGEST_NAME]
    return short, [family for family in manifest.families if len(family.template) > LONGEST_NAME]


def _collect(ledger: Ledger, converters: Converters, arrivals: list[Arrival]) -> None:
    by_family: dict[int, tuple[Expected, list[Arrival]]] = {}
    for arrival in arrivals:
        if arrival.expected is not None:
            by_family.setdefault(id(arrival.expected), (arrival.expected, []))[1].append(arrival)
    for family, found in by_family.values():
        for cell in cells(found):
            try:
                for result in converters.resolve(cell, family):
                    ledger.record(family, result)
            except NotModelledError as error:
                ledger.unknown.append(f"{family.template}: conversion {error} is not known")
                ledger.set.setdefault(family.template, []).append(cell.box)


def _unexpected(piece: Piece, found: Place, converters: Converters) -> list[Place]:
    """An unmatched converter lists all its targets: names that are not in the file."""
    if piece.pattern is None:
        return [found]
    targets = converters.by_pattern[piece.pattern].spec.targets
    return [place(piece.form.replace(targets[0], target)) for target in targets]
