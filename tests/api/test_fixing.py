"""Which fix is chosen for a finding."""

from __future__ import annotations

from typing import Any

from loadproof.api.fixing import _choose
from loadproof.core.edits import DropTensors, Fix
from loadproof.core.findings import Finding

EDIT = (DropTensors("a", ()),)


def finding(*fixes: Fix, confidence: Any = "certain") -> Finding:
    return Finding("LP401", "slug", "error", confidence, "headline", fixes=fixes)


def test_the_lossless_fix_comes_before_a_lossy_one() -> None:
    fixes = (Fix("lossy", "lossy", EDIT, "a bit"), Fix("lossless", "lossless", EDIT))
    for unsafe in (False, True):
        choice = _choose(finding(*fixes), unsafe, is_named=False)
        assert choice.fix is not None
        assert choice.fix.title == "lossless"


def test_a_lossy_fix_needs_to_be_asked_for_and_says_its_loss() -> None:
    lossy = Fix("drop it", "lossy", EDIT, "the bias")
    refused = _choose(finding(lossy), False, is_named=True)
    assert refused.fix is None
    assert refused.why == "only with --unsafe: drop it (loses the bias)"
    assert _choose(finding(lossy), True, is_named=True).fix == lossy


def test_a_possible_cause_is_mended_only_by_its_code() -> None:
    guess = finding(Fix("rename", "lossless", EDIT), confidence="possible")
    assert _choose(guess, False, is_named=False).why == "only a possible cause; name LP401 to mend it"
    assert _choose(guess, False, is_named=True).fix is not None


def test_a_manual_fix_is_advice_and_no_fix_is_said() -> None:
    assert _choose(finding(Fix("ask the author", "manual")), True, is_named=True).why == "ask the author"
    assert _choose(finding(), True, is_named=True).why == "no edit of these files mends it"
