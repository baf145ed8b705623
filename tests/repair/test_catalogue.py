"""Every broken example of the rule catalogue: what is offered as lossless fixes it, and undo brings back every byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api.fixing import fix, undo
from loadproof.core.outcome import Verdict
from loadproof.core.repairs import FixReport
from tests.repair.tiny import snapshot
from tests.rules.case_files import Example, read_pages
from tests.rules.judge import remembered_expectations

CASES = Path(__file__).parents[1] / "rules" / "cases"
REFUSED = "LP018-foreign-record"  # repairs stop at it, which test_foreign.py holds them to
BAD = [
    example
    for example in read_pages(CASES)
    if example.kind == "bad" and not example.names_only and example.page.stem != REFUSED
]
RANK: dict[Verdict, int] = {"loads": 0, "inconclusive": 1, "loads-wrong": 2, "fails": 3}


def fixed(example: Example, folder: Path) -> tuple[FixReport, Path] | None:
    """The applied repair and the checkpoint's folder; None where no edit is offered."""
    location = example.write(folder)
    with remembered_expectations():
        planned = fix(location)
        if not planned.plan.steps:
            return None
        return fix(location, apply=True), location if location.is_dir() else location.parent


@pytest.mark.parametrize("example", BAD, ids=lambda example: example.id)
def test_what_is_offered_mends_and_can_be_undone(example: Example, tmp_path: Path) -> None:
    before = snapshot(example.write(tmp_path / "a").parent)
    found = fixed(example, tmp_path / "b")
    assert (found[0].after.verdict if found and found[0].after else None) == example.one("repaired")
    if found is None:
        return
    report, folder = found
    assert report.after is not None
    assert RANK[report.after.verdict] <= RANK[report.before.verdict]
    errors = {finding.code for finding in report.after.findings if finding.severity == "error"}
    mended_codes = {choice.finding.code for choice in report.choices if choice.fix}
    assert report.after.verdict != "loads" or errors.isdisjoint(mended_codes)
    undo(folder)
    assert snapshot(folder.parent) == before


def test_most_examples_with_a_lossless_fix_load_afterwards(tmp_path: Path) -> None:
    verdicts = []
    for number, example in enumerate(BAD[::5]):
        found = fixed(example, tmp_path / str(number))
        if found is not None and found[0].after is not None:
            verdicts.append(found[0].after.verdict)
    assert len(verdicts) > 10
    assert verdicts.count("loads") >= 0.9 * len(verdicts)
