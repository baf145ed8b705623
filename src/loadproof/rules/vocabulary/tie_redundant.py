"""LP205 tie-redundant: a tied head is stored as well, with the same values."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import TieValue
from loadproof.core.edits import DropTensors, Fix
from loadproof.core.families import split_name
from loadproof.core.findings import Evidence
from loadproof.core.places import Place
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.vocabulary import tie_evidence


def check(case: Case) -> Iterable[Found]:
    for pair in case.tie_values:
        if pair.equal is True:
            headline = f"{pair.target} is stored although it is tied to {pair.source}; the values are equal"
            evidence = (Evidence(Place(pair.target_file), f"{pair.target}: {pair.text}"), *tie_evidence(case))
            yield Found(severity="info", confidence="certain", headline=headline, evidence=evidence, fixes=_drop(pair))


def _drop(pair: TieValue) -> tuple[Fix, ...]:
    if not pair.complete:
        return (Fix(f"drop {pair.target} after comparing every byte; only samples were compared here", "manual"),)
    template, indices = split_name(pair.target)
    edit = DropTensors(template, tuple((index,) for index in indices))
    return (Fix(f"drop {pair.target}; the reader ties it again", "lossless", (edit,)),)


DOCS = RuleDocs(
    finds="A tied head that is stored a second time with exactly the bytes of the embedding.",
    why="Gathering tied parameters from shards clones them, so the save writes both names. It costs space only.",
    errors=("none: every reader loads it",),
    example="`lm_head.weight` and `model.embed_tokens.weight`, equal bytes, `tie_word_embeddings` true.",
    fix="The copy may be dropped without loss.",
    harmless="Always.",
)
RULE = Rule("LP205", "tie-redundant", "A tied head is stored twice with equal values", check, DOCS)
