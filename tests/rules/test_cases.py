"""Every rule against its page of examples (`tests/rules/cases`), and every page against its rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from loadproof.readers.transformers import TransformersReader
from loadproof.rules import RULES
from tests.interpret.sandbox.opening import require_wall
from tests.rules.case_files import Example, read_page, read_pages
from tests.rules.judge import complaints, remembered_expectations, report_of
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


def test_a_near_miss_fails_where_its_rule_yields_an_info(tmp_path: Path) -> None:
    example = next(one for one in EXAMPLES if one.kind == "bad" and one.one("severity") == "info")
    code = example.page.stem[:5]
    healthy = replace(example, kind="near-miss")
    report = report_of(example, tmp_path)
    found = complaints(healthy, report, code)
    assert any(complaint.startswith(f"near-miss, yet info {report.findings[0].slug}") for complaint in found)
    allowed = replace(healthy, expect=example.expect | {"yields": ["info"]})
    assert complaints(allowed, report, code) == []


def test_what_the_judge_replaces_is_put_back() -> None:
    before = TransformersReader.build
    with remembered_expectations():
        assert TransformersReader.build is not before
    assert TransformersReader.build is before
