"""Every code that is ever printed has a page, and the list of rules names it."""

from __future__ import annotations

from typing import Any

from loadproof.api.pages import page as page_for
from loadproof.api.pages import rules
from loadproof.rules.catalogue import all_rules
from loadproof.tracebacks.knowledge import causes as all_causes


def page_of(word: str) -> str | None:
    found = page_for(word)
    return None if found is None else found.text()


def json_of(word: str) -> dict[str, Any] | None:
    found = page_for(word)
    return None if found is None else found.to_dict()


def listed() -> list[tuple[str, str, str]]:
    return [(one.code, one.slug, one.title) for one in rules().rules]


PRINTED = {(item.code, item.slug) for item in (*all_rules(), *all_causes().values())}


def test_every_printed_code_is_listed_once() -> None:
    codes = [code for code, _, _ in listed()]
    assert codes == sorted({code for code, _ in PRINTED})


def test_every_printed_code_and_slug_has_its_page() -> None:
    for code, slug in PRINTED:
        page = page_of(code.lower())
        assert page is not None, code
        assert page.startswith(f"# {code} {slug}")
        assert page_of(slug) == page


def test_a_page_of_causes_says_for_each_what_tells_and_what_to_do() -> None:
    page = page_of("engine-not-checkpoint") or ""
    causes = [cause for cause in all_causes().values() if cause.code == "LP704"]
    assert page.count("\n- ") == page.count("\n  do: ") == len(causes) > 1
    assert "{name}" not in page


def test_what_is_no_code_has_no_page() -> None:
    assert page_of("LP999") is None
    assert page_of("hello") is None


def test_a_page_as_json_holds_the_words_of_the_page() -> None:
    for code, slug in PRINTED:
        found = json_of(code.lower())
        assert found is not None
        assert (found["code"], found["slug"]) == (code, slug)
        page = page_of(code) or ""
        told = [found["finds"], found["fix"]] if "finds" in found else [one["remedy"] for one in found["causes"]]
        assert told
        assert all("{" in text or text in page for text in told), code
    assert json_of("LP999") is None


def test_the_list_says_of_every_code_what_is_wrong() -> None:
    listed_titles = {code: title for code, _, title in listed()}
    assert set(listed_titles) == {rule.code for rule in all_rules()} | {cause.code for cause in all_causes().values()}
    for code, title in listed_titles.items():
        assert 10 < len(title) < 90, code
        assert "{" not in title, code
