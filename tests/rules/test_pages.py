from __future__ import annotations

from pathlib import Path

from loadproof.rules.pages import all_rules, page, pages, write

DOCS = Path(__file__).parents[2] / "docs" / "rules"


def test_the_published_pages_are_what_the_rules_say() -> None:
    published = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    stale = [name for name, text in pages().items() if published.get(name) != text]
    assert stale == [], "run `make docs`"
    assert set(published) == set(pages())


def test_a_page_shows_every_part_of_the_docs() -> None:
    for rule in all_rules():
        text = page(rule)
        for part in (rule.docs.finds, rule.docs.why, rule.docs.example, rule.docs.fix, rule.docs.harmless):
            assert part in text, rule.code


def test_writing_removes_the_page_of_a_rule_that_is_no_more(tmp_path: Path) -> None:
    (tmp_path / "LP999.md").write_text("old")
    (tmp_path / "notes.txt").write_text("kept")
    write(str(tmp_path))
    assert not (tmp_path / "LP999.md").exists()
    assert (tmp_path / "notes.txt").exists()
    assert {path.name for path in tmp_path.glob("*.md")} == set(pages())
