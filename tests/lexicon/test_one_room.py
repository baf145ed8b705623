"""Lists of words for names live in the lexicon: no other room may begin one of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import loadproof
from loadproof.lexicon import adapters, companions, ends, experts, extras, feed_forward, mixers, shards, wrappers

SOURCE = Path(loadproof.__file__).parent
SUBJECTS: dict[str, frozenset[str]] = {
    "wrappers": frozenset((*wrappers.WRAPPERS, *wrappers.OUTERMOST)),
    "adapters": frozenset((*adapters.TENSORS, adapters.BASE, adapters.SAVED, adapters.FROZEN)),
    "heads": frozenset((*ends.HEADS, *ends.TASK_HEADS)),
    "embeddings": frozenset(ends.EMBEDDINGS),
    "companions": frozenset(companions.COMPANIONS),
    "towers": frozenset((*extras.TOWERS, *extras.BRIDGES)),
    "prediction heads": frozenset((*extras.PREDICTION_HEADS, *extras.PREDICTION_MARKS)),
    "experts": frozenset((*experts.LETTERS, *experts.PACKS)),
    "feed forward": frozenset(feed_forward.MATRICES),
    "mixers": frozenset((*mixers.SOFTMAX_MODULES, *mixers.LINEAR_MODULES, *mixers.LINEAR_WORDS)),
    "shards": frozenset(shards.SUFFIXES),
}
ALLOWED: dict[tuple[str, str], str] = {
    ("config/plan/words.py", "mixers"): "words of config fields, not of modules: which of them mean the same plan",
}


def _words(node: ast.AST) -> Iterator[str]:
    """The words of one literal: the members of a collection, the alternatives of a pattern, a text that is split."""
    members = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", ())
    if isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
        constants = (member.value for member in members if isinstance(member, ast.Constant))
        yield from (value.strip(".") if "." in value[1:] else value for value in constants if isinstance(value, str))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value:
        if "|" in node.value:
            yield from re.findall(r"\.?\w+", re.sub(r"\\[AZbwdsS]", " ", node.value).replace("\\.", "."))
        elif re.fullmatch(r"[\w.:]+(?: [\w.:]+){2,}\s*", node.value):
            yield from node.value.split()


def repeated(source: str) -> dict[str, set[str]]:
    """Subject -> words of it, for every literal of this source that repeats three or more."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(source)):
        words = {form for word in _words(node) for form in (word, word.lstrip("."))}
        for subject, known in SUBJECTS.items():
            if len(words & known) >= 3:
                found.setdefault(subject, set()).update(words & known)
    return found


def test_no_other_room_lists_the_words_of_the_lexicon() -> None:
    files = [file for file in SOURCE.rglob("*.py") if file.parent.name != "lexicon"]
    assert len(files) > 300
    found = {
        (file.relative_to(SOURCE).as_posix(), subject): sorted(words)
        for file in files
        for subject, words in repeated(file.read_text(encoding="utf-8")).items()
    }
    assert {place: words for place, words in found.items() if place not in ALLOWED} == {}
    assert ALLOWED.keys() <= found.keys(), "an exception that nothing needs any more"


@pytest.mark.parametrize(
    ("source", "subject"),
    [
        ('HEADS = ("lm_head", "embed_out", "output_layer")', "heads"),
        ('X = re.compile(r"(?:^|\\.)(?:embed_tokens|wte|word_embeddings)\\.")', "embeddings"),
        ('X = "qweight qzeros scales g_idx".split()', "companions"),
        ('X = {"visual": 1, "vision_tower": 2, "merger": 3}', "towers"),
    ],
)
def test_a_list_begun_elsewhere_is_found(source: str, subject: str) -> None:
    assert subject in repeated(source)


@pytest.mark.parametrize("source", ['X = ("lm_head", "embed_tokens", "wte")', 'X = "the lm_head or the embed_out"'])
def test_single_words_are_free(source: str) -> None:
    assert not repeated(source)
