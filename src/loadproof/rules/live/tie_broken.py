"""LP903: the config says that head and embedding are one, the live model holds two."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import Place, about
from loadproof.rules.base import Found, Rule


def check(case: Case) -> Iterator[Found]:
    live = case.live
    if live is None or not live.tie_declared or live.tied is not False:
        return
    names = {p.role: p.name for p in live.parameters}
    shared = "they share storage" if live.shares_storage else "they have storage of their own"
    yield Found(
        severity="warning",
        confidence="certain",
        headline="tie_word_embeddings is true, but output head and input embedding are two Parameters",
        evidence=(
            Evidence(where=about("config.tie_word_embeddings"), text="true"),
            Evidence(
                where=Place(tensor=names.get("output-head", "?")),
                text=f"is not {names.get('input-embedding', '?')}; {shared}",
            ),
        ),
        fixes=(
            Fix(title="model.tie_weights() makes them one again", safety="lossless")
            if live.shares_storage
            else Fix(
                title="if they were meant to be one: model.tie_weights() (drops the head's own values); "
                "if the head was trained apart: set config.tie_word_embeddings = False before saving",
                safety="manual",
            ),
        ),
    )


RULE = Rule(
    code="LP903",
    slug="tie-broken",
    group="live",
    title="A declared tie between head and embedding does not exist in the live model",
    check=check,
)
