"""LP502 config-dims-wrong: one field of the config explains all wrong shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from loadproof.config.lines import where
from loadproof.core.case import Case
from loadproof.core.config import JsonPath, dotted
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE
from loadproof.core.severity import Confidence
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.dimensions import (
    Candidate,
    affects_all,
    as_stated,
    candidates,
    from_shapes,
    groups,
    is_decided_by_formulas,
    probed,
    shrinking,
)
from loadproof.rules.evidence.plans import config_file
from loadproof.rules.evidence.whatif_config import explained_by_config, outcome_if
from loadproof.rules.evidence.wording import row_evidence
from loadproof.rules.rows import count_rows, meet, of_kind, subtract

PARTS = 4  # groups of wrong shapes of which each may have a field of its own
TRIED = 8  # readings of the model's source for each way to guess, a twentieth of a second each
Proven = list[tuple[Candidate, list[Row]]]


def check(case: Case) -> Iterable[Found]:
    rows = of_kind(case.outcome.rows, "mismatched")
    if case.expectation.raises is not None:
        yield from _refused(case)
    elif rows:
        yield from _whole(case, rows) or _parts(case, rows)


def _whole(case: Case, rows: list[Row]) -> list[Found]:
    """One field explains all rows."""
    proven = _proven(case, _guesses(case, rows), rows) if affects_all(case, rows) else []
    return [_finding(case, proven, rows)] if proven else []


def _parts(case: Case, rows: list[Row]) -> Iterator[Found]:
    """Several fields are wrong, or one beside another fault: each explains the rows that are wrong in the same way."""
    left, tried = rows, 0
    for group in groups(case, rows):
        group = meet(left, group)
        if tried == PARTS:
            return
        if group and affects_all(case, group):
            tried += 1
            proven = _proven(case, _guesses(case, group), group)
            gone = proven[0][1] if proven else []
            left = subtract(left, gone)
            yield from [_finding(case, proven, gone)] if proven else []


def _guesses(case: Case, rows: list[Row]) -> Iterator[Candidate]:
    """Every value of every field that may explain the rows: the first that fits need not be the right one."""
    yield from candidates(case, rows)[:TRIED]
    yield from shrinking(case, rows)[:TRIED]
    if not is_decided_by_formulas(case, rows):
        yield from probed(case, rows)


def _proven(case: Case, guesses: Iterable[Candidate], rows: list[Row]) -> Proven:
    """The guesses that explain all rows, each with its neighbours that do as well (sizes that are rounded)."""
    found: dict[tuple[JsonPath, int], tuple[Candidate, list[Row]]] = {}
    tried: set[tuple[JsonPath, int]] = set()
    for unnamed in guesses:
        guess = as_stated(case, unnamed)
        new = guess.new
        if (guess.path, new) not in tried and (gone := _proof(case, guess, rows)):
            beside = [replace(guess, new=number) for number in (new - 1, new + 1) if number not in (0, guess.old)]
            found[guess.path, new] = guess, gone
            found |= {(c.path, c.new): (c, rows_) for c in beside if (rows_ := _proof(case, c, rows))}
        tried.add((guess.path, new))
    return list(found.values())


def _refused(case: Case) -> Iterable[Found]:
    """The class cannot even be built with this size; the stored shapes give one with which everything fits."""
    fitting: Proven = [(guess, []) for guess in from_shapes(case) if _fits(case, guess)]
    if fitting:
        yield replace(_finding(case, fitting, []), notes=(Note("outcome", case.expectation.raises or ""),))


def _fits(case: Case, guess: Candidate) -> bool:
    outcome = outcome_if(case, (_edit(case, guess),))
    return outcome is not None and not outcome.rows


def _proof(case: Case, candidate: Candidate, rows: list[Row]) -> list[Row]:
    """The rows that vanish when the field is set, if that is all of these and nothing new appears."""
    found = explained_by_config(case, (_edit(case, candidate),))
    if found is None or found[1] or count_rows(found[0], "mismatched") < count_rows(rows):
        return []
    return found[0]


def _edit(case: Case, candidate: Candidate) -> SetJson:
    return SetJson(config_file(case), candidate.path, candidate.new)


def _finding(case: Case, proven: Proven, rows: list[Row]) -> Found:
    best, gone = proven[0]
    wrong = tuple(dict.fromkeys(candidate.path for candidate, _ in proven))
    evidence = (
        *(_stated(case, *found) for found in {c.path: c.old for c, _ in proven}.items()),
        *row_evidence(rows, 3),
    )
    if len(proven) > 1:
        named = " or ".join(f"{dotted(candidate.path)} = {candidate.new}" for candidate, _ in proven)
        headline = f"the tensors were written with either {named}; config.json says {_said(proven)}"
        note = Evidence(NOWHERE, "the shapes fit each of them: they do not tell which one is wrong", "note")
        which = "the field that is wrong" if len(wrong) > 1 else dotted(best.path)
        fix = Fix(f"set {which} to what the model was made with: {named}", "manual")
        return _made("likely", headline, (*evidence, note), gone, fix)
    name = dotted(best.path)
    says = f"config.json says {best.old}"
    if where(case.config, best.path).line is None:
        says = f"config.json does not state it (the class takes {best.old})"
    headline = f"the tensors were written with {name} = {best.new}, {says}"
    return _made(
        "certain", headline, evidence, gone, Fix(f"set {name} to {best.new}", "lossless", (_edit(case, best),))
    )


def _stated(case: Case, path: JsonPath, old: int) -> Evidence:
    place, name = where(case.config, path), dotted(path)
    return Evidence(place, f"{name} is not stated" if place.line is None else f"{name} = {old}")


def _said(proven: Proven) -> str:
    """``8 and 2``, in the order in which the fields are named."""
    return " and ".join(str(old) for old in {candidate.path: candidate.old for candidate, _ in proven}.values())


def _made(confidence: Confidence, headline: str, evidence: tuple[Evidence, ...], gone: list[Row], fix: Fix) -> Found:
    return Found(
        severity="error", confidence=confidence, headline=headline, evidence=evidence, rows=tuple(gone), fixes=(fix,)
    )


RULE = Rule(
    code="LP502",
    slug="config-dims-wrong",
    group="shapes",
    title="One field of the config explains all wrong shapes",
    check=check,
)
