"""Every rule against its page of examples (`tests/rules/cases`), and every page against its rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.rules import RULES
from tests.interpret.sandbox.opening import require_wall
from tests.rules.case_files import Example, read_page, read_pages
from tests.rules.judge import complaints, report_of
from tests.rules.snapshots import scrubbed

CASES = Path(__file__).parent / "cases"
EXAMPLES = read_pages(CASES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_example_gets_what_its_page_says(example: Example, tmp_path: Path) -> None:
    if "opened" in example.expect:
        require_wall()
    report = report_of(example, tmp_path)
    assert complaints(example, report, example.page.stem[:5]) == []
    if example.report is not None:
        assert scrubbed(report) == example.report, "if it is better so: python -m tests.rules.snapshots"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_rule_has_a_bad_example_and_a_near_miss(rule) -> None:
    page = CASES / f"{rule.code}-{rule.slug}.md"
    kinds = [example.kind for example in read_page(page)] if page.exists() else []
    assert "bad" in kinds, f"{page.name} shows no bad example"
    assert "near-miss" in kinds, f"{page.name} shows no near-miss"
