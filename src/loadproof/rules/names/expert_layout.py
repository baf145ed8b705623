"""LP409 expert-layout: the experts are stored in another layout."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Edit, Fix, RenameTensors, SplitTensors, StackTensors
from loadproof.core.families import show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import about, in_files
from loadproof.core.tensors import Shape
from loadproof.lexicon.experts import LETTERS, PACKS, PROJECTION_FIRST, SPELLED, is_of_expert
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.whatif import explained_by, renamed
from loadproof.rules.rows import of_kind

_PROJECTION_FIRST = re.compile(PROJECTION_FIRST)


def check(case: Case) -> Iterable[Found]:
    """Missing experts here, stored experts under other names there: packed, per expert, or spelled otherwise."""
    missing = [row for row in of_kind(case.outcome.rows, "missing") if is_of_expert(row.template)]
    stored = [row for row in of_kind(case.outcome.rows, "unexpected") if is_of_expert(row.stored or row.template)]
    if not missing or not stored:
        return
    rows, fixes = _renamed(case) or ((*missing, *stored), _restacked(case, missing, stored))
    headline = (
        f"experts are stored as {_form(stored, True)}; {case.expectation.class_name} wants {_form(missing, False)}"
    )
    evidence = (
        *(Evidence(in_files(row.files[:2], 2), f"{_name(row)} {_shape(row.found)}") for row in stored[:3]),
        *(Evidence(about(case.expectation.class_name), f"{_name(row)} {_shape(row.expected)}") for row in missing[:3]),
    )
    yield Found(
        severity="error",
        confidence="certain" if fixes else "likely",
        headline=headline,
        evidence=evidence,
        rows=rows,
        fixes=fixes,
    )


def _renamed(case: Case) -> tuple[tuple[Row, ...], tuple[Fix, ...]] | None:
    """A spelling that, changed, makes the experts fit: projection before number, or w1 / w2 / w3."""
    for change in (_index_first, _spelled_out, _abbreviated):
        pairs = tuple(
            (f.template, change(f.template), f.axes) for f in case.manifest.families if change(f.template) != f.template
        )
        if not pairs or any(len(axes) != 2 for _, _, axes in pairs):
            continue
        vanish, new = explained_by(case, renamed(case.manifest.families, change))
        if of_kind(vanish, "missing") and not of_kind(new, "missing", "mismatched", "conversion"):
            return tuple(vanish), (Fix("rename the experts in the headers", "lossless", (RenameTensors(pairs),)),)
    return None


def _index_first(template: str) -> str:
    return _PROJECTION_FIRST.sub(r".experts.{}.\1.", template)


def _spelled_out(template: str) -> str:
    return re.sub(r"(\.experts\.\{\}\.)(w[123])(?=\.)", lambda found: found[1] + LETTERS[found[2]], template)


def _abbreviated(template: str) -> str:
    return re.sub(r"(\.experts\.\{\}\.)(\w+_proj)(?=\.)", lambda f: f[1] + SPELLED.get(f[2], f[2]), template)


def _restacked(case: Case, missing: list[Row], stored: list[Row]) -> tuple[Fix, ...]:
    """Slices and stacks that the shapes prove: [E, 2I, H] against gate and up [I, H]."""
    if case.manifest.names_only:
        return ()
    edits = [edit for row in stored for edit in _split(row, missing)] or [
        edit for row in missing for edit in _stack(row, stored)
    ]
    return (Fix("write the experts in the layout the class wants", "lossless", tuple(edits)),) if edits else ()


def _split(packed: Row, missing: list[Row]) -> Iterable[Edit]:
    base, _, leaf = (packed.stored or packed.template).rpartition(".")
    targets = _parts(leaf, [row for row in missing if row.template.startswith(base + ".{}.")])
    if packed.found and targets and _adds_up(packed.found, [row.expected for row in targets]):
        axes = packed.stored_axes or packed.axes
        yield SplitTensors(
            packed.stored or packed.template,
            axes,
            tuple(row.template for row in targets),
            0 if len(targets) > 1 else None,
        )


def _stack(packed: Row, stored: list[Row]) -> Iterable[Edit]:
    base, _, leaf = packed.template.rpartition(".")
    sources = _parts(leaf, [row for row in stored if (row.stored or row.template).startswith(base + ".{}.")])
    if packed.expected and sources and _adds_up(packed.expected, [row.found for row in sources]):
        axes = sources[0].stored_axes or sources[0].axes
        yield StackTensors(
            tuple(row.stored or row.template for row in sources), axes, packed.template, 0 if len(sources) > 1 else None
        )


def _parts(leaf: str, rows: list[Row]) -> list[Row]:
    """The per-expert tensors that `gate_up_proj` or `down_proj` packs, in the order of concatenation."""
    words = PACKS.get(leaf, ())
    found = {(row.stored or row.template).split(".")[-2]: row for row in rows}
    return [found[word] for word in words] if words and all(word in found for word in words) else []


def _adds_up(packed: Shape, parts: list[Shape | None]) -> bool:
    known = [part for part in parts if part is not None]
    return len(packed) == 3 and len(known) == len(parts) and (sum(p[0] for p in known), known[0][1]) == packed[1:]


def _form(rows: list[Row], stored: bool) -> str:
    names = [(row.stored or row.template) if stored else row.template for row in rows]
    leaf = names[0].partition(".experts")[2].lstrip(".")
    shown = leaf.replace("{}", "N")
    return f"one tensor per expert ({shown})" if leaf.startswith("{}") else f"experts.{shown}"


def _name(row: Row) -> str:
    axes = row.stored_axes or row.axes
    name = row.stored or row.template
    return show(name, axes) if name.count("{}") == len(axes) else name


def _shape(shape: Shape | None) -> str:
    return "" if shape is None else str(list(shape))


RULE = Rule(
    code="LP409",
    slug="expert-layout",
    group="names",
    title="The experts are stored in another layout",
    check=check,
)
