"""LP212 tie-donor: the source of a tie is not stored, and the member that fills it is not the one that should."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import DonatedTie, TieValue
from loadproof.core.edits import Fix, RenameTensors
from loadproof.core.families import split_name
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import Place
from loadproof.lexicon.ends import HEADS
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.vocabulary import module_of, tie_evidence
from loadproof.rules.evidence.wording import shape_text


def check(case: Case) -> Iterable[Found]:
    for tie in case.donated_ties:
        rivals = [name for name in _fitting(tie) if name != tie.donor and _equal(tie, tie.donor, name) is False]
        if rivals:
            yield _found(case, tie, rivals)


def _fitting(tie: DonatedTie) -> list[str]:
    """The stored members that the source may be a copy of: an embedding is one of the embeddings, if any is stored."""
    if _is_head(tie.source):
        return list(tie.stored)
    return [name for name in tie.stored if not _is_head(name)] or list(tie.stored)


def _is_head(name: str) -> bool:
    return module_of(name) in HEADS


def _equal(tie: DonatedTie, first: str, second: str) -> bool | None:
    """Whether two stored members hold the same bytes; None where they cannot be compared."""
    value = _value(tie, first, second)
    return value.equal if value is not None else None


def _value(tie: DonatedTie, first: str, second: str) -> TieValue | None:
    pair = {tie.stored[first], tie.stored[second]} if first in tie.stored else set()
    return next((value for value in tie.values if {value.target, value.source} == pair), None)


def _found(case: Case, tie: DonatedTie, rivals: list[str]) -> Found:
    filled = " and ".join(tie.filled)
    takes = "take" if len(tie.filled) > 1 else "takes"
    others = " and ".join(rivals)
    headline = f"{tie.source} is not stored: {filled} {takes} the values of {tie.donor}; those of {others} differ"
    return Found(
        severity="error",
        confidence="certain" if tie.donor not in _fitting(tie) else "likely",
        headline=headline,
        evidence=(*tie_evidence(case), *_evidence(tie, rivals)),
        fixes=(_fix(tie),),
        notes=(Note("outcome", "nothing is missing, and nothing is reported: the tie fills what the file lacks"),),
    )


def _evidence(tie: DonatedTie, rivals: list[str]) -> Iterable[Evidence]:
    for name in rivals:
        value = _value(tie, tie.donor, name)
        assert value is not None
        files = {value.target: value.target_file, value.source: value.source_file}
        donor, rival = tie.stored[tie.donor], tie.stored[name]
        yield Evidence(Place(files[donor]), f"{donor} {shape_text(value.shape)}, taken")
        yield Evidence(Place(files[rival]), f"{rival} {shape_text(value.shape)}, other values: {value.text}")


def _fix(tie: DonatedTie) -> Fix:
    """Stored under the source's name, the embedding fills every member that is not stored."""
    fitting = _fitting(tie)
    if tie.donor in fitting or any(_equal(tie, fitting[0], name) is not True for name in fitting[1:]):
        names = ", ".join(fitting)
        return Fix(f"store {tie.source}, from the checkpoint that this one was made of; {names} differ", "manual")
    old, new = tie.stored[fitting[-1]], _beside(tie, fitting[-1])
    template, indices = split_name(old)
    edit = RenameTensors(((template, split_name(new)[0], tuple((index,) for index in indices)),))
    title = f"rename {old} to {new} in the header; the tie then fills the rest from it"
    return Fix(title, "lossless", (edit,))


def _beside(tie: DonatedTie, name: str) -> str:
    """The source as the file would spell it: with what its names lack or have in front."""
    stored = tie.stored[name]
    if name.endswith(stored):
        return tie.source.removeprefix(name.removesuffix(stored))
    return stored.removesuffix(name) + tie.source if stored.endswith(name) else tie.source


RULE = Rule(
    code="LP212",
    slug="tie-donor",
    group="vocabulary",
    title="A tie filled from the wrong tensor",
    check=check,
)
