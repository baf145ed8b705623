"""Layers whose feed-forward part the class builds dense where the file holds experts, or the other way round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from loadproof.config.access import get, text_config, text_config_path
from loadproof.config.lines import where
from loadproof.config.plan.codec import Codec, write
from loadproof.config.plan.feed_forward import FEED_FORWARD, deciding
from loadproof.config.plan.reading import text_fields
from loadproof.config.plan.tensors import decoder_layers, feed_forward_from_tensors
from loadproof.config.plan.words import DENSE, SPARSE
from loadproof.core.case import Case
from loadproof.core.config import LayerPlan, dotted
from loadproof.core.edits import Edit, SetJson
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import Place
from loadproof.lexicon.mixers import mixer_modules
from loadproof.rules.evidence.plans import as_families, config_file, rows_in_layers
from loadproof.rules.evidence.whatif_config import explained_by_config
from loadproof.rules.evidence.wording import json_text

NAMES = {DENSE: "dense", SPARSE: "a mixture of experts"}


class Flip(Struct, frozen=True):
    """The layers in which both sides speak and disagree; `edits` are proven to take the rows away, or empty."""

    built: LayerPlan
    stored: LayerPlan
    layers: tuple[int, ...]
    codec: Codec | None  # the field that decided, as far as one does
    edits: tuple[Edit, ...]
    rows: tuple[Row, ...]


def flipped(case: Case) -> Flip | None:
    """Where the feed-forward parts of model and file are of different kinds, with rows to show for it."""
    built = feed_forward_from_tensors(as_families(case.expectation.families))
    stored = feed_forward_from_tensors(case.manifest.families)
    if built is None or stored is None or SPARSE not in stored.words:
        return None  # a dense model under a class with experts: the class is wrong, not its plan
    pairs = enumerate(zip(built.words, stored.words, strict=False))
    layers = tuple(layer for layer, (a, b) in pairs if a is not None and b is not None and a != b)
    rows = _rows(case, layers, built.field) if layers else []
    return _flip(case, built, stored, layers, rows) if rows else None


def _flip(case: Case, built: LayerPlan, stored: LayerPlan, layers: tuple[int, ...], rows: list[Row]) -> Flip:
    wanted = [stored.words[layer] if layer in layers else word for layer, word in enumerate(built.words)]
    for codec in _candidates(case, built):
        edits = _edits(case, codec, wanted)
        found = explained_by_config(case, edits) if edits else None
        if found is not None and found[0] and not found[1] and not _left(case, found[0], layers, built.field):
            return Flip(built, stored, layers, codec, edits, tuple(found[0]))
    return Flip(built, stored, layers, next(_candidates(case, built), None), (), tuple(rows))


def _candidates(case: Case, built: LayerPlan) -> Iterator[Codec]:
    """The field of the file that says what was built, then the one among the defaults of the class."""
    for fields in (text_config(case.config), text_fields(case.expectation.config)):
        codec = deciding(fields, built.words)
        if codec is not None:
            yield codec


def _edits(case: Case, codec: Codec, wanted: Sequence[str | None]) -> tuple[Edit, ...]:
    fields = {**text_fields(case.expectation.config), **text_config(case.config)}
    made = write(codec, fields, wanted) or {}
    base = text_config_path(case.config)
    changed = {name: value for name, value in made.items() if fields.get(name) != value}
    return tuple(SetJson(config_file(case), (*base, name), value) for name, value in changed.items())


def _left(case: Case, explained: Sequence[Row], layers: Sequence[int], container: str) -> bool:
    """Whether a row of these feed-forward parts would stay."""
    templates = {(row.kind, row.template, row.axes) for row in explained}
    return any((row.kind, row.template, row.axes) not in templates for row in _rows(case, layers, container))


def _rows(case: Case, layers: Sequence[int], container: str) -> list[Row]:
    """The reported rows of these layers that belong neither to a mixer nor to a norm."""
    sides = (case.manifest.families, as_families(case.expectation.families))
    found = [stack[1] for side in sides if (stack := decoder_layers(side)) is not None]
    mixers = {module for held in found for layer in layers for module in mixer_modules(held.get(layer, ()))}
    rows = rows_in_layers(case, layers, container)
    return [row for row in rows if not _is_beside(row.template.partition(".{}.")[2].partition(".")[0], mixers)]


def _is_beside(module: str, mixers: set[str]) -> bool:
    return module in mixers or "norm" in module


def field_lines(case: Case, codec: Codec | None) -> tuple[Evidence, ...]:
    """The fields that chose the kind, with their lines; a default of the class is said to be one."""
    if codec is None:
        return ()
    base = text_config_path(case.config)
    names = {codec.name, *(name for name in ("mlp_only_layers",) if codec.name == "decoder_sparse_step")}
    stated = [(*base, name) for name in sorted(names) if name in text_config(case.config)]
    if not stated:
        text = f"{dotted((*base, codec.name))} is not stated; the class fills in its default"
        return (Evidence(Place(config_file(case)), text),)
    return tuple(Evidence(where(case.config, p), f"{dotted(p)} = {json_text(get(case.config, p))}") for p in stated)


def known_fields() -> str:
    """The fields by which configs choose the layers with experts, for a sentence."""
    return ", ".join(FEED_FORWARD)
