"""The docs of the rules: the same headings everywhere, and the site holds them as they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.core.pages import HEADINGS
from loadproof.rules.catalogue import all_rules
from loadproof.rules.docs import page_of, text_of
from loadproof.rules.pages import page, pages, write

DOCS = Path(__file__).parents[2] / "docs" / "rules"


def test_the_published_pages_are_what_the_rules_say() -> None:
    published = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    stale = [name for name, text in pages().items() if published.get(name) != text]
    assert stale == [], "run `make docs`"
    assert set(published) == set(pages())


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
def test_the_docs_of_a_rule_have_all_headings_and_something_below_each(rule) -> None:
    docs = page_of(rule)  # raises where a heading is missing or stands elsewhere
    for name, heading in HEADINGS.items():
        assert getattr(docs, name), f"the docs of {rule.code} say nothing below {heading!r}"
    assert text_of(rule).startswith("## ")
    assert text_of(rule) in page(rule)


def test_docs_under_other_headings_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = all_rules()[0]
    other = text_of(rule).replace("## What to do", "## Remedy")
    monkeypatch.setattr("loadproof.rules.docs.text_of", lambda _: other)
    with pytest.raises(ValueError, match="Remedy"):
        page_of(rule)


def test_writing_removes_the_page_of_a_rule_that_is_no_more(tmp_path: Path) -> None:
    (tmp_path / "LP999.md").write_text("old")
    (tmp_path / "notes.txt").write_text("kept")
    write(str(tmp_path))
    assert not (tmp_path / "LP999.md").exists()
    assert (tmp_path / "notes.txt").exists()
    assert {path.name for path in tmp_path.glob("*.md")} == set(pages())
