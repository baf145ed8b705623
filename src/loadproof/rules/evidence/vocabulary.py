"""Where a model keeps its vocabulary: the input embedding, the output head, the flag that ties them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from loadproof.config.access import text_config_path
from loadproof.config.lines import where
from loadproof.config.plan.reading import text_fields
from loadproof.core.case import Case
from loadproof.core.config import JsonPath, dotted
from loadproof.core.expectation import Expected
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Assignment, Row
from loadproof.core.places import Place
from loadproof.lexicon.ends import EMBEDDINGS, HEADS

TIE = "tie_word_embeddings"


def module_of(template: str) -> str:
    """``lm_head`` of ``model.lm_head.weight``."""
    parts = template.split(".")
    return parts[-2] if len(parts) > 1 else ""


def head(case: Case) -> Expected | None:
    """The weight that turns hidden states into logits, None when the class has none."""
    tied = {target for target, _ in case.expectation.ties}
    return _first(case, HEADS, tied)


def embedding(case: Case) -> Expected | None:
    """The weight of the input embedding of the text model."""
    sources = {source for _, source in case.expectation.ties}
    return _first(case, EMBEDDINGS, sources)


def _first(case: Case, modules: Container[str], named: set[str]) -> Expected | None:
    matrices = [e for e in case.expectation.families if not e.axes and len(e.shape) == 2 and e.kind == "parameter"]
    matrices = [e for e in matrices if e.template.endswith(".weight") and module_of(e.template) in modules]
    return next((e for e in matrices if e.template in named), None) or _widest(matrices)


def _widest(matrices: Iterable[Expected]) -> Expected | None:
    return max(matrices, key=lambda expected: expected.shape[0], default=None)


def vocab_size(case: Case) -> int | None:
    """The vocabulary of the effective config."""
    for fields in (text_fields(case.expectation.config), case.expectation.config):
        value = fields.get("vocab_size")
        if isinstance(value, int):
            return value
    return None


def vocab_path(case: Case) -> JsonPath:
    """Where the file states the vocabulary size that counts; the place where it should stand if it does not."""
    return (*text_config_path(case.config), "vocab_size")


def tie_levels(case: Case) -> list[tuple[JsonPath, bool]]:
    """Every level of the file that states the tie flag, the outermost first."""
    path = text_config_path(case.config)
    levels: list[tuple[JsonPath, bool]] = []
    node: Any = case.config.raw
    for depth in range(len(path) + 1):
        if isinstance(node, dict) and isinstance(node.get(TIE), bool):
            levels.append(((*path[:depth], TIE), node[TIE]))
        node = node.get(path[depth]) if depth < len(path) and isinstance(node, dict) else None
    return levels


def tie_evidence(case: Case) -> list[Evidence]:
    """A line for every level that states the flag; one for the class's default if none does."""
    lines = [
        Evidence(where(case.config, path), f"{dotted(path)} = {str(value).lower()}") for path, value in tie_levels(case)
    ]
    if lines:
        return lines
    default = case.expectation.config.get(TIE)
    said = "" if default is None else f"; the default of the class is {str(default).lower()}"
    return [Evidence(Place(case.config.path or "config.json"), f"{TIE} is not stated{said}")]


def is_tied(case: Case) -> bool:
    """Whether the reader ties the head to the embedding."""
    found = head(case)
    return found is not None and any(target == found.template for target, _ in case.expectation.ties)


def rows_of(case: Case, expected: Expected | None, *kinds: str) -> list[Row]:
    """The reported rows of this parameter."""
    if expected is None:
        return []
    return [row for row in case.outcome.rows if row.template == expected.template and row.kind in kinds]


def assigned(case: Case, expected: Expected | None) -> Assignment | None:
    """The stored tensor that reaches this parameter."""
    if expected is None:
        return None
    return next((a for a in case.outcome.assignments if a.target == expected.template), None)


def differs_in_rows(row: Row) -> bool:
    """A matrix that has the columns of the class and another number of rows, some at least."""
    expected, found = row.expected, row.found
    if expected is None or found is None or len(expected) != 2 or len(found) != 2:
        return False
    return expected[1] == found[1] and expected[0] != found[0] and found[0] > 0


def vocabulary_rows(case: Case) -> list[Row]:
    """The mismatched rows of embedding and head whose columns fit."""
    both = [*rows_of(case, embedding(case), "mismatched"), *rows_of(case, head(case), "mismatched")]
    return [row for row in dict.fromkeys(both) if differs_in_rows(row)]
