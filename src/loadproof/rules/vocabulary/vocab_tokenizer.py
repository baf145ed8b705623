"""LP208 vocab-tokenizer: the tokenizer knows ids that have no embedding row."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config.lines import where
from loadproof.core.case import Case
from loadproof.core.config import dotted
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import Place, in_files
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.vocabulary import assigned, embedding, vocab_path
from loadproof.rules.evidence.wording import shape_text


def check(case: Case) -> Iterable[Found]:
    expected, tokenizer = embedding(case), case.tokenizer
    found = assigned(case, expected)
    if tokenizer is None or found is None or found.shape is None or len(found.shape) != 2:
        return
    rows = found.shape[0]
    if tokenizer.rows_needed <= rows:
        return
    stored = next((f for f in case.manifest.families if f.template == found.stored), None)
    headline = f"the tokenizer needs {tokenizer.rows_needed:,} rows, the embedding has {rows:,}"
    evidence = (
        Evidence(Place(tokenizer.path), f"highest token id {tokenizer.rows_needed - 1:,}"),
        Evidence(in_files(stored.files if stored else ()), f"{found.stored} {shape_text(found.shape)}"),
        Evidence(where(case.config, vocab_path(case)), f"{dotted(vocab_path(case))} = {rows}"),
    )
    notes = (Note("outcome", f"it loads; a text that holds one of the last {tokenizer.rows_needed - rows} ids fails"),)
    fixes = (
        Fix(
            "use the tokenizer that was saved with this model, or resize the embedding and train the new rows", "manual"
        ),
    )
    yield Found(
        severity="warning", confidence="certain", headline=headline, evidence=evidence, fixes=fixes, notes=notes
    )


RULE = Rule(
    code="LP208",
    slug="vocab-tokenizer",
    group="vocabulary",
    title="The tokenizer knows ids that have no embedding row",
    check=check,
)
