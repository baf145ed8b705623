"""The load of transformers 4 (modeling_utils.py:5285 of release 4.57): one mapping of names, no conversions."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.checkpoint import Manifest
from loadproof.core.expectation import Expectation, Expected
from loadproof.core.outcome import Outcome
from loadproof.core.tensors import Family
from loadproof.readers.transformers.closing import close
from loadproof.readers.transformers.collect import cells, entries
from loadproof.readers.transformers.convert import as_it_is
from loadproof.readers.transformers.ledger import Ledger
from loadproof.readers.transformers.mapping import KeyMapping
from loadproof.readers.transformers.pieces import Piece, form_of, place, start
from loadproof.readers.transformers.private import loading_of
from loadproof.readers.transformers.route import Arrival, Names
from loadproof.readers.transformers.ties import Boxes, discard, has

_LEGACY = (
    ("LayerNorm.beta", "LayerNorm.bias"),
    ("LayerNorm.gamma", "LayerNorm.weight"),
    ("weight_g", "parametrizations.weight.original0"),
    ("weight_v", "parametrizations.weight.original1"),
)
_FORMATS = ("pt", "tf", "flax", "mlx")
_CORRUPTED = (
    "ValueError: The state dictionary of the model you are trying to load is corrupted. Are you sure it was properly "
    "saved?"
)


def predict_v4(manifest: Manifest, expectation: Expectation) -> Outcome:
    """The outcome of loading `manifest` with a release 4 class, without quantizer.

    The keys are those of the files; that release takes them from the index, so an index that disagrees with its shards
    (LP104, LP105) leaves more unset than is said here.
    """
    ledger = Ledger(expectation)
    ledger.crash = _bad_metadata(manifest)
    pieces = [renamed for family in manifest.families for piece in start(family) for renamed in _legacy(piece)]
    for mapping in KeyMapping.of(loading_of(expectation).rules):
        pieces = mapping.apply(pieces)
    way = _Prefix(manifest, expectation, ledger.names)
    for piece in pieces:
        _arrive(ledger, way, piece)
    _collect(ledger, way.arrivals)
    missing = ledger.missing()
    tied = _fill_groups(missing, expectation.ties)
    return close(ledger, manifest, missing, tied)


def _legacy(piece: Piece) -> list[Piece]:
    """Old names of layer norms and weight norms, at the end of a name (modeling_utils.py:5169)."""
    for old, new in _LEGACY:
        if piece.form.endswith(old):
            return [Piece(piece.family, piece.axes, piece.form.replace(old, new))]
    return [piece]


class _Prefix:
    """Whether the whole checkpoint lacks the base prefix, or the class does (modeling_utils.py:5320)."""

    def __init__(self, manifest: Manifest, expectation: Expectation, names: Names) -> None:
        self.prefix, self.names = expectation.base_model_prefix, names
        templates = (*names.by_template, *expectation.buffer_names)
        stored = bool(self.prefix) and any(f.template.startswith(self.prefix) for f in manifest.families)
        wanted = bool(self.prefix) and any(t.startswith(f"{self.prefix}.") for t in templates)
        self.adds, self.strips = bool(self.prefix) and wanted and not stored, stored and not wanted
        self.arrivals: list[Arrival] = []


def _arrive(ledger: Ledger, way: _Prefix, piece: Piece) -> None:
    dotted, form = f"{way.prefix}.", piece.form
    if way.adds:
        inside, _ = way.names.split(piece, form)
        under, _ = way.names.split(piece, dotted + form)
        if inside and not under and not form.startswith(dotted):
            ledger.crash = ledger.crash or _CORRUPTED
        form = dotted + form
    elif way.strips:
        if not form_of(piece.family).startswith(dotted):
            ledger.stray(piece, place(form_of(piece.family)))
            return
        if not form.startswith(dotted):
            return  # renamed out of the base model: neither loaded nor reported
        form = form[len(dotted) :]
    found, left = way.names.split(Piece(piece.family, piece.axes, form), form)
    way.arrivals += found
    for rest in left:
        target = place(rest.form)
        if not _is_silent_buffer(ledger, target.template):
            ledger.stray(rest, target, place(form.removeprefix(dotted)) if way.adds else None)


def _is_silent_buffer(ledger: Ledger, template: str) -> bool:
    """Buffers that are never saved are not reported; persistent ones are names of the model like any other."""
    return template in ledger.expectation.buffer_names and template not in ledger.names.by_template


def _collect(ledger: Ledger, arrivals: Iterable[Arrival]) -> None:
    """Two keys for one parameter: the later one is kept."""
    by_family: dict[int, tuple[Expected, list[Arrival]]] = {}
    for arrival in arrivals:
        assert arrival.expected is not None
        by_family.setdefault(id(arrival.expected), (arrival.expected, []))[1].append(arrival)
    for family, found in by_family.values():
        for cell in cells(found):
            winner = entries(cell)[-1].contribution
            form = form_of(Family(family.template, cell.box, None, None))
            ledger.fill(as_it_is(form, winner), cell.box)
            for loser in cell.contributions:
                if loser is not winner:
                    ledger.lose(family.template, cell.box, loser)


def _fill_groups(missing: Boxes, ties: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Parameters that share memory: one stored member of a group fills all of it (modeling_utils.py:1405)."""
    groups: list[set[str]] = []
    for pair in ties:
        touched = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in touched]
        groups.append(set(pair).union(*touched))
    filled = []
    for group in groups:
        lost = sorted(name for name in group if has(missing, name))
        stored = sorted(group - set(lost))
        for name in lost if stored else ():
            discard(missing, name)
            filled.append((name, stored[0]))
    return tuple(filled)


def _bad_metadata(manifest: Manifest) -> str | None:
    """Release 4 insists on a known `format` where a file has metadata at all (modeling_utils.py:487, 4928)."""
    for i, info in enumerate(manifest.files):
        metadata = manifest.metadata.get(info.path)
        if metadata is None or metadata.get("format") in _FORMATS:
            continue
        if i == 0:
            found = metadata.get("format")
            return (
                "ValueError: Incompatible safetensors file. File metadata is not ['pt', 'tf', 'flax', 'mlx'] but "
                f"{found}"
            )
        return (
            f"OSError: The safetensors archive passed at {info.path} does not contain the valid metadata. Make sure "
            "you save your model with the `save_pretrained` method."
        )
    return None
