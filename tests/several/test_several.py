"""Two and three faults at once: every cause, the right one first, and repairs that gain one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api import fix
from tests.differential import real
from tests.several.faults import Several, combined, sample
from tests.several.judge import complaints

CASES = [*sample(1, 12), *sample(2, 40), *sample(3, 12)]


@pytest.mark.parametrize("several", CASES, ids=lambda several: several.id)
def test_every_fault_is_found_and_repaired(several: Several, tmp_path: Path) -> None:
    assert complaints(several, tmp_path / "model") == []


@pytest.mark.oracle
@pytest.mark.parametrize("several", list(combined(2)), ids=lambda several: several.id)
def test_every_pair(several: Several, tmp_path: Path) -> None:
    assert complaints(several, tmp_path / "model") == []


@pytest.mark.oracle
@pytest.mark.parametrize("several", sample(3, 400), ids=lambda several: several.id)
def test_many_triples(several: Several, tmp_path: Path) -> None:
    assert complaints(several, tmp_path / "model") == []


@pytest.mark.torch
@pytest.mark.parametrize(
    "several", [case for case in sample(3, 12) if case.lossless][:4], ids=lambda several: several.id
)
def test_the_library_loads_what_was_repaired(several: Several, tmp_path: Path) -> None:
    import transformers

    after = fix(several.build().write(tmp_path / "model"), apply=True).after
    assert after is not None
    assert after.verdict == "loads"
    theirs = real.load(getattr(transformers, after.case.expectation.class_name), str(tmp_path / "model"))
    assert (theirs.raised, theirs.missing, theirs.mismatched) == (None, set(), set())
