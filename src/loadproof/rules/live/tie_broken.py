"""LP903: the config says that head and embedding are one, the live model holds two."""

from __future__ import annotations

from collections.abc import Iterator

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import Place, about
from loadproof.rules.base import Found, Rule, RuleDocs


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
    title="A declared tie between head and embedding does not exist in the live model",
    check=check,
    docs=RuleDocs(
        finds="`tie_word_embeddings` is true where it counts, yet the head's weight and the embedding's weight are two "
        "Parameter objects.",
        why="Training updates only one of them, a save drops one of them (tied keys are left out), and the next load "
        "ties them again: what was trained is lost without a word. `load_state_dict(assign=True)`, replacing "
        "`lm_head.weight` by a new Parameter, and FSDP gathering do this.",
        errors=("transformers: no exception; the head differs after save and load",),
        example="lm_head.weight is not model.embed_tokens.weight; they have storage of their own",
        fix="`model.tie_weights()`, or `config.tie_word_embeddings = False` when the head is meant to be separate.",
        harmless="When the file stores two different tensors, transformers unties them on purpose; then only the flag "
        "is wrong.",
    ),
)
