"""LP207 vocab-rows: embedding or head have another number of rows than the config says."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config.lines import where
from loadproof.core.case import Case
from loadproof.core.config import dotted
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.vocabulary import vocab_path, vocab_size, vocabulary_rows
from loadproof.rules.evidence.whatif_config import explained_by_config
from loadproof.rules.evidence.wording import row_evidence

ROUNDINGS = (8, 16, 32, 64, 128, 256, 512, 1024)


def check(case: Case) -> Iterable[Found]:
    rows = vocabulary_rows(case)
    counts = {row.found[0] for row in rows if row.found}
    if len(counts) == 1:
        yield _one_size(case, rows, counts.pop())
    elif rows:
        yield _several_sizes(rows)


def _one_size(case: Case, rows: list[Row], count: int) -> Found:
    edit = SetJson(case.config.path or "config.json", vocab_path(case), count)
    needed = case.tokenizer.rows_needed if case.tokenizer is not None else 0
    proven = explained_by_config(case, (edit,))
    if proven is None or proven[1] or len(proven[0]) < len(rows) or count < needed:
        return _not_a_vocabulary(case, rows, count)
    size = vocab_size(case)
    headline = f"the vocabulary is stored with {count:,} rows, config.json says {size:,}"
    place = Evidence(where(case.config, vocab_path(case)), f"{dotted(vocab_path(case))} = {size}")
    fix = Fix(f"set {dotted(vocab_path(case))} to {count}", "lossless", (edit,))
    notes = (Evidence(NOWHERE, text, "note") for text in (_reason(case, count, size),) if text)
    evidence = (place, *row_evidence(rows), *notes)
    return Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=tuple(proven[0]),
        fixes=(fix,),
    )


def _reason(case: Case, count: int, size: int | None) -> str:
    """Why the numbers are what they are, where arithmetic shows it."""
    needed = case.tokenizer.rows_needed if case.tokenizer is not None else None
    if needed is not None and count == needed:
        return f"{count:,} is exactly what the tokenizer needs ({case.tokenizer and case.tokenizer.path})"
    for low, high, padded in ((size, count, "stored"), (count, size, "config")):
        step = next((s for s in reversed(ROUNDINGS) if low and high and high % s == 0 and 0 < high - low < s), None)
        if step and low and high:
            return f"{high:,} is {low:,} rounded up to a multiple of {step} (the {padded} rows are padded)"
    return ""


def _not_a_vocabulary(case: Case, rows: list[Row], count: int) -> Found:
    row = rows[0]
    name = row.stored or row.template
    size = vocab_size(case)
    headline = f"{name} has {count:,} rows where the vocabulary has {size:,}, and no vocab_size fits both"
    fixes = (Fix(f"restore {name} from a complete copy, or use a class whose head has {count:,} outputs", "manual"),)
    return Found(
        severity="error",
        confidence="likely",
        headline=headline,
        evidence=row_evidence(rows),
        rows=tuple(rows),
        fixes=fixes,
    )


def _several_sizes(rows: list[Row]) -> Found:
    headline = "embedding and head are stored with different numbers of rows, neither as config.json says"
    fixes = (Fix("save the model again after resizing both to one vocabulary", "manual"),)
    return Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=row_evidence(rows),
        rows=tuple(rows),
        fixes=fixes,
    )


RULE = Rule(
    code="LP207",
    slug="vocab-rows",
    group="vocabulary",
    title="The vocabulary has a different number of rows than the config says",
    check=check,
)
