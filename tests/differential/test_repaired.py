"""What loadproof has fixed and calls loading does load in real transformers: nothing missing, nothing mismatched."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.differential import real
from tests.repair.test_catalogue import BAD, fixed
from tests.rules.case_files import Example

pytestmark = pytest.mark.torch


def _has_made_up_states(example: Example) -> bool:
    """bitsandbytes reads the bytes of its quantization states; the zoo's are noise, their names and shapes are right."""
    return any(mutation.startswith("bnb_4bit") for mutation in example.mutations)


# One page of each kind of edit in every run, all pages with -m oracle.
ALWAYS = re.compile(r"LP(004|010|101|106|107|201|209|301|304|401|403|409|502|504)")
CASES = [
    pytest.param(example, id=example.id, marks=() if ALWAYS.match(example.page.stem) else pytest.mark.oracle)
    for example in BAD
    if example.one("repaired") == "loads" and not _has_made_up_states(example)
]


@pytest.mark.parametrize("example", CASES)
def test_a_mended_checkpoint_loads_in_the_real_library(example: Example, tmp_path: Path) -> None:
    import transformers

    found = fixed(example, tmp_path)
    assert found is not None
    report, folder = found
    assert report.after is not None
    name = report.after.case.expectation.class_name
    theirs = real.load(getattr(transformers, name), str(folder))
    assert theirs.raised is None
    assert theirs.missing == set()
    assert theirs.mismatched == set()
    assert theirs.conversion == set()
