"""Two and three faults at once: every cause, the right one first, and repairs that gain one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

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
