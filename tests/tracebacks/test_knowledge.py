"""Every entry of the knowledge base is tested by its own examples; nothing in it is dead or dangling."""

from __future__ import annotations

import re

import pytest

from loadproof.tracebacks import candidates, read_symptom
from loadproof.tracebacks.base import Example
from loadproof.tracebacks.knowledge import causes as all_causes
from loadproof.tracebacks.knowledge import entries
from loadproof.tracebacks.match import match_line
from loadproof.tracebacks.patterns import anchor, compile_text

EXAMPLES = [example for entry in entries() for example in entry.examples]
CATALOGUE = re.compile(r"LP\d{3}")


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.text[:60] for example in EXAMPLES])
def test_the_example_has_its_cause_first(example: Example) -> None:
    found = candidates(read_symptom(example.text.split("\n")))
    assert found
    assert found[0].key == example.first


def test_every_example_matches_its_own_entry() -> None:
    strays = [
        example.text
        for entry in entries()
        for example in entry.examples
        if not any(hit.entry is entry for line in example.text.split("\n") for hit in match_line(line))
        and not any(hit.entry is entry for hit in match_line(example.text))
    ]
    rows_only = [text for text in strays if "|" not in text and "vs" not in text]
    assert rows_only == []


def test_every_entry_has_an_example_unless_it_only_wraps_others() -> None:
    assert [entry.patterns[0] for entry in entries() if not entry.examples and not entry.wrapper] == []


def test_every_cause_named_by_an_entry_exists() -> None:
    named = {ranked.cause for entry in entries() for ranked in entry.causes}
    assert named <= all_causes().keys()


def test_every_cause_says_how_to_tell_and_what_to_do() -> None:
    for cause in all_causes().values():
        assert CATALOGUE.fullmatch(cause.code)
        assert cause.confirms
        assert cause.refutes
        assert cause.remedy
        assert cause.next


def test_the_next_command_is_shown_whole() -> None:
    assert [cause.key for cause in all_causes().values() if len(cause.next) > 150] == []


def test_the_check_of_the_adapter_on_its_base_decides_about_an_adapter() -> None:
    adapters = [cause for cause in all_causes().values() if cause.code.startswith("LP80")]
    assert adapters
    assert {cause.next for cause in adapters} == {"loadproof check ADAPTER --base PATH"}


def test_one_code_has_one_slug() -> None:
    slugs: dict[str, set[str]] = {}
    for cause in all_causes().values():
        slugs.setdefault(cause.code, set()).add(cause.slug)
    assert {code: names for code, names in slugs.items() if len(names) > 1} == {}


def test_codes_and_slugs_are_those_of_the_rules() -> None:
    from loadproof.rules import RULES

    known = {rule.code: rule.slug for rule in RULES}
    differing = {c.code: (c.slug, known[c.code]) for c in all_causes().values() if known.get(c.code, c.slug) != c.slug}
    assert differing == {}


def test_patterns_compile_and_have_an_anchor_that_keeps_lines_cheap() -> None:
    for entry in entries():
        for pattern in entry.patterns:
            compile_text(pattern)
            assert len(anchor(pattern)) >= 2, pattern


def test_issue_links_are_repository_and_number() -> None:
    links = [issue for cause in all_causes().values() for issue in cause.see]
    assert links
    assert all(re.fullmatch(r"[\w.-]+/[\w.-]+#\d+", link) for link in links)


@pytest.mark.parametrize(
    "text",
    [
        "hello world",
        "ZeroDivisionError: division by zero",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nNameError: name 'x' is not defined",
        "INFO 11-02 12:00:00 [core.py:1] Engine started",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "",
    ],
)
def test_an_unknown_text_has_no_candidates(text: str) -> None:
    assert candidates(read_symptom(text.split("\n"))) == ()


def test_nothing_is_certain_from_a_text_alone() -> None:
    certain = {
        found[0].key
        for example in EXAMPLES
        if (found := candidates(read_symptom(example.text.split("\n")))) and found[0].confidence == "certain"
    }
    assert certain == set()
