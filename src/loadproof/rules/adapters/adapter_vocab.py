"""LP804 adapter-vocab: the adapter was trained with another number of tokens than the base has."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.config.parse import parse_object
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import Place
from loadproof.lexicon.ends import VOCABULARY
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.adapters import PREFIX
from loadproof.rules.evidence.wording import row_evidence
from loadproof.rules.rows import of_kind

_TOKENIZER = "tokenizer.json"
_VOCABULARY = re.compile(VOCABULARY)
_IN_ERROR = re.compile(
    r"size mismatch for (\S+?): copying a param with shape torch\.Size\(\[(\d+)(?:, (\d+))*\]\) from checkpoint, the shape in "
    r"current model is torch\.Size\(\[(\d+)(?:, (\d+))*\]\)"
)


def check(case: Case) -> Iterable[Found]:
    """Whole matrices of the embedding or the head with other rows; the library says so, in rows or in its exception."""
    rows = [
        row for row in of_kind(case.outcome.rows, "mismatched") if _is_vocabulary(row.template) and _rows_differ(row)
    ]
    sizes = {(row.found[0], row.expected[0]) for row in rows if row.found and row.expected} or _told(case)
    if len(sizes) != 1:
        return
    ((trained, base),) = sizes
    tokens = _tokens(case)
    agrees = tokens == trained
    evidence = [*row_evidence(rows), *_stored(case, trained)]
    if tokens is not None:
        evidence.append(Evidence(Place(_TOKENIZER), f"the tokenizer beside the adapter has {tokens:,} tokens"))
    yield Found(
        severity="error",
        confidence="certain" if agrees else "likely",
        headline=f"the adapter was trained with {trained:,} tokens, the base has {base:,}",
        evidence=tuple(evidence),
        rows=case.outcome.rows,
        fixes=(
            Fix(f"call model.resize_token_embeddings({trained}) on the base before the adapter is loaded", "manual"),
        ),
    )


def _tokens(case: Case) -> int | None:
    """How many rows the tokenizer beside the adapter needs, by its own vocabulary."""
    data = case.checkpoint.small(_TOKENIZER) if case.checkpoint is not None else None
    if data is None:
        return None
    raw, _, _ = parse_object(data, _TOKENIZER, _TOKENIZER)
    model, added = raw.get("model"), raw.get("added_tokens")
    vocab = model.get("vocab") if isinstance(model, dict) else None
    ids = [*(vocab.values() if isinstance(vocab, dict) else range(len(vocab) if isinstance(vocab, list) else 0))]
    ids += [one.get("id") for one in added if isinstance(one, dict)] if isinstance(added, list) else []
    known = [number for number in ids if type(number) is int and number >= 0]
    return max(known) + 1 if known else None


def _is_vocabulary(name: str) -> bool:
    return _VOCABULARY.search(name.removeprefix(PREFIX)) is not None


def _rows_differ(row: Row) -> bool:
    return bool(row.found and row.expected) and row.found[1:] == row.expected[1:] and row.found[0] > 0  # type: ignore[index]


def _told(case: Case) -> set[tuple[int, int]]:
    """(stored rows, rows of the base) of the matrices that the exception names: they are no part of the adapter."""
    found = _IN_ERROR.finditer(case.outcome.error or "")
    return {
        (int(one[2]), int(one[4])) for one in found if _is_vocabulary(one[1]) and one[3] == one[5] and int(one[2]) > 0
    }


def _stored(case: Case, rows: int) -> Iterable[Evidence]:
    for family in case.manifest.families:
        if _is_vocabulary(family.template) and "lora_" not in family.template and (family.shape or ())[:1] == (rows,):
            yield Evidence(Place((family.files or ("",))[0]), f"{family.template} {list(family.shape or ())}")


RULE = Rule(
    code="LP804",
    slug="adapter-vocab",
    group="adapters",
    title="The adapter was trained with another vocabulary",
    check=check,
    absorbs=("LP803", "LP811"),
)
