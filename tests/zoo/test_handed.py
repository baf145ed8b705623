"""Failures reported in public threads, rebuilt tiny: the cause must come first (`tests/zoo/handed`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.case_files import Example, read_pages
from tests.rules.judge import complaints, report_of

EXAMPLES = read_pages(Path(__file__).parent / "handed")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.id)
def test_reported_failure_gets_its_cause_first(example: Example, tmp_path: Path) -> None:
    assert complaints(example, report_of(example, tmp_path), None) == []
