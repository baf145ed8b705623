"""Every file of the knowledge base is sound: known fields only, words that exist, expressions that compile, one rank each."""

from __future__ import annotations

import re

import msgspec
import pytest

from loadproof.rules.catalogue import RESERVED, all_rules
from loadproof.tracebacks.base import Cause, When
from loadproof.tracebacks.knowledge import FOLDER, Texts, causes, engines, entries, texts, titles
from loadproof.tracebacks.knowledge.codes import Codes, codes
from loadproof.tracebacks.knowledge.logs import Elsewhere, Logs
from loadproof.tracebacks.knowledge.sizes import Sizes, sizes
from loadproof.tracebacks.shapes import _TESTS as KINDS

FILES = {file.relative_to(FOLDER).as_posix(): file for file in sorted(FOLDER.rglob("*.json"))}
TYPES = {"engines": Texts, "texts": Texts, "causes": tuple[Cause, ...]}
ALONE = {
    "titles.json": dict[str, str],
    "codes.json": Codes,
    "sizes.json": Sizes,
    "logs.json": Logs,
    "elsewhere.json": tuple[Elsewhere, ...],
}
EXPRESSIONS = ("name", "text", "near", "frame", "engine", "lacks")


@pytest.mark.parametrize("name", FILES)
def test_a_file_holds_the_fields_of_its_kind_and_no_others(name: str) -> None:
    kind = ALONE.get(name) or TYPES[name.partition("/")[0]]
    assert msgspec.json.decode(FILES[name].read_bytes(), type=kind)


def test_every_file_of_causes_is_read() -> None:
    keys = re.findall(r'"key": "([\w-]+)"', "".join(file.read_text() for file in (FOLDER / "causes").glob("*.json")))
    assert sorted(keys) == sorted(causes())


def test_words_of_conditions_exist_and_are_used() -> None:
    for file in texts():
        conditions = [ranked.when for entry in file.entries for ranked in entry.causes if ranked.when is not None]
        named = {text[1:] for when in conditions for field in EXPRESSIONS if (text := getattr(when, field))[:1] == "@"}
        assert named == file.words.keys(), file.name


def test_conditions_are_expressions_without_unfilled_words() -> None:
    for when in _conditions():
        for field in EXPRESSIONS:
            text = getattr(when, field)
            assert not text.startswith("@"), text
            re.compile(text)


def test_engines_have_one_rank_each() -> None:
    ranks = [engine.rank for engine in engines()]
    assert len(set(ranks)) == len(ranks)
    assert all(engine.sign for engine in engines())


def test_an_entry_lies_in_the_file_of_its_engine() -> None:
    homes = {engine.name: engine for engine in engines()}
    astray = [entry.patterns[0] for entry in entries() if entry.engine and entry.engine not in homes]
    assert astray == []
    assert [
        e.patterns[0] for file in texts() for e in file.entries if e.engine and file.name not in ("", e.engine)
    ] == []


def _conditions() -> list[When]:
    return [ranked.when for entry in entries() for ranked in entry.causes if ranked.when is not None]


def test_every_code_that_only_an_error_text_leads_to_has_a_title() -> None:
    assert {cause.code for cause in causes().values()} - {rule.code for rule in all_rules()} <= titles().keys()


def test_codes_and_expressions_of_the_tables_exist() -> None:
    known = {rule.code for rule in all_rules()} | {cause.code for cause in causes().values()} | set(RESERVED)
    table = codes()
    assert table.shared | set(table.signs) | set(table.proofs) | frozenset[str]().union(*table.kin) <= known
    for text in (*table.proofs.values(), *table.signs.values()):
        assert "{" not in re.sub(r"\{\d+(?:,\d*)?\}|\\[{]", "", text)
        re.compile(text)


def test_every_kind_of_difference_leads_to_causes() -> None:
    table = sizes()
    assert {*(kind for kind, _ in KINDS), "other"} == set(table.kinds)
    assert set(table.vague) <= set(table.kinds)
    assert {ranked.cause for row in table.kinds.values() for ranked in row} <= set(causes())
