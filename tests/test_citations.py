"""Text of the package points only at documents that a reader of the repository has."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENT = re.compile(r"[\w./-]+\.md\b")
# Files of checkpoints and of other projects, not documents of ours.
THEIRS = re.compile(r"(README|model_?card|LICENSE|CHANGELOG)\.md$", re.IGNORECASE)
PRIVATE = re.compile(
    r"\((?:design|facts?|house|brief|prototypes?): |^Facts: |\bshared/(?:facts|cases|prototypes)\b", re.M
)


def test_every_cited_document_is_in_the_repository() -> None:
    there = {path.name for folder in ("docs", "src") for path in (ROOT / folder).rglob("*.md")} | {
        path.name for path in ROOT.glob("*.md")
    }
    for file in sorted((ROOT / "src").rglob("*.py")):
        for cited in DOCUMENT.findall(file.read_text()):
            assert Path(cited).name in there or THEIRS.search(cited), f"{file.relative_to(ROOT)} cites {cited}"


def test_nothing_is_cited_that_only_its_author_has() -> None:
    for file in sorted((ROOT / "src").rglob("*.py")):
        found = PRIVATE.search(file.read_text())
        assert found is None, f"{file.relative_to(ROOT)}: {found and found[0]}"
    assert PRIVATE.search("(facts: sharded-training.md section 1)")
    assert PRIVATE.search("(design: `fails` > `loads`)")
