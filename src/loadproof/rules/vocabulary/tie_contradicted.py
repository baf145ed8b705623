"""LP204 tie-contradicted: the config ties head and embedding, the file holds two different ones."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.checkpoint import TieValue
from loadproof.core.config import JsonPath
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import Place
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.vocabulary import (
    TIE,
    assigned,
    embedding,
    head,
    is_tied,
    rows_of,
    tie_evidence,
    tie_levels,
)
from loadproof.rules.evidence.wording import elements, row_evidence, shape_text

_STORE_ALL = Fix(f"store every tied matrix under its own name, and set {TIE} to false", "manual")


def check(case: Case) -> Iterable[Found]:
    if not is_tied(case):
        return
    yield from _unequal_rows(case)
    for pair in case.tie_values:
        yield from _unequal_values(case, pair, _untie(case))
    for pair in _without_source(case):
        yield from _unequal_values(case, pair, (_STORE_ALL,))


def _without_source(case: Case) -> Iterable[TieValue]:
    """The stored head beside a stored embedding that is tied to the same absent source."""
    output = head(case)
    for tie in case.donated_ties:
        stored = tie.stored.get(output.template) if output is not None else None
        if stored is not None:
            yield from [_head_first(value, stored) for value in tie.values if stored in (value.target, value.source)][
                :1
            ]


def _head_first(value: TieValue, stored: str) -> TieValue:
    if value.target == stored:
        return value
    return replace(
        value, target=stored, source=value.target, target_file=value.source_file, source_file=value.target_file
    )


def _unequal_values(case: Case, pair: TieValue, fixes: tuple[Fix, ...]) -> Iterable[Found]:
    if pair.equal is False:
        evidence = (
            *tie_evidence(case),
            Evidence(Place(pair.target_file), f"{pair.target} {shape_text(pair.shape)}"),
            Evidence(Place(pair.source_file), f"{pair.source} {shape_text(pair.shape)}, other values: {pair.text}"),
        )
        headline = f"the config ties {pair.target} to {pair.source}, but the file holds two different matrices"
        note = Note(
            "outcome", "transformers keeps both and warns; readers that trust the flag drop the head that was trained"
        )
        yield Found(
            severity="warning",
            confidence="certain",
            headline=headline,
            evidence=evidence,
            fixes=fixes,
            notes=(note,),
        )


def _unequal_rows(case: Case) -> Iterable[Found]:
    """One of the two has the rows of the class, the other has not: they were never one matrix."""
    output, source = head(case), embedding(case)
    pair = [_stored_shape(case, output), _stored_shape(case, source)]
    if None in pair or pair[0] == pair[1] or not all(_is_matrix(shape) for shape in pair):
        return
    rows = [*rows_of(case, output, "mismatched"), *rows_of(case, source, "mismatched")]
    if not rows:
        return
    first, second = (shape_text(shape) for shape in pair)
    headline = f"the config ties head and embedding, but the stored ones are {first} and {second}"
    evidence = (*tie_evidence(case), *row_evidence(rows))
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=tuple(rows),
        fixes=_resize(rows),
    )


def _stored_shape(case: Case, expected: object) -> tuple[int, ...] | None:
    from loadproof.core.expectation import Expected

    if not isinstance(expected, Expected):
        return None
    rows = rows_of(case, expected, "mismatched")
    if rows:
        return rows[0].found
    found = assigned(case, expected)
    return found.shape if found is not None else None


def _is_matrix(shape: tuple[int, ...] | None) -> bool:
    return shape is not None and len(shape) == 2 and elements(shape) > 0


def _untie(case: Case) -> tuple[Fix, ...]:
    """The flag at every level that states it, and at the top, where readers look first."""
    paths: list[JsonPath] = [path for path, _ in tie_levels(case)]
    if (TIE,) not in paths:
        paths.insert(0, (TIE,))
    file = case.config.path or "config.json"
    edits = tuple(SetJson(file, path, False) for path in paths)
    return (Fix(f"set {TIE} to false at every level of the config; both matrices are then used", "lossless", edits),)


def _resize(rows: list[Row]) -> tuple[Fix, ...]:
    name = rows[0].stored or rows[0].template
    text = f"set {TIE} to false and give the class a head of the stored size, or restore {name} from a complete copy"
    return (Fix(text, "manual"),)


RULE = Rule(
    code="LP204",
    slug="tie-contradicted",
    group="vocabulary",
    title="The tie flag contradicts the file",
    check=check,
)
