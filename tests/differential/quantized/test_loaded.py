"""What is foretold of quantized checkpoints, healthy and damaged, is what the library does with them on a CPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.differential.quantized.damages import DAMAGES
from tests.differential.quantized.loaded import foretold, really, write
from tests.differential.quantized.stored import LAYOUTS, packed

pytestmark = pytest.mark.torch
MODELS = ("llama", "qwen3_moe", "qwen3")
PAIRS = [(m, one) for one in LAYOUTS for m in MODELS if one != "mxfp4"] + [("gpt_oss", "mxfp4")]
SAMPLE = (
    ("llama", "fp8", "healthy"),
    ("llama", "fp8", "one companion lost"),
    ("qwen3_moe", "fp8", "one of an expert lost"),
    ("llama", "bnb4", "one state lost"),
    ("llama", "bnb4", "one scale of scales lost"),
    ("llama", "bnb4", "one code of scales lost"),
    ("llama", "bnb4", "all companions lost"),
    ("llama", "bnb8", "healthy"),
    ("qwen3_moe", "ct-w4a16", "healthy"),
    ("llama", "ct-w4a16", "asymmetric"),
    ("llama", "ct-fp8", "a packed module on the list"),
    ("gpt_oss", "mxfp4", "healthy"),
    ("gpt_oss", "mxfp4", "one weight lost"),
)


def compare(folder: Path, model: str, layout: str, damage: str) -> str:
    """Nothing where both agree; "unknown" where nothing is foretold; else what differs."""
    made = DAMAGES[damage](model, *packed(model, layout))
    if made is None:
        return "none"
    write(folder, *made)
    found, outcome, verdict = foretold(folder)
    if outcome.inconclusive is not None:
        return f"unknown: {outcome.inconclusive}"
    wanted = really(folder, model)
    if found.raises != wanted.raises:
        return f"raises: {found.error[:200]!r} / {wanted.error[:200]!r}"
    for kind, names in wanted.sets.items():
        if found.sets[kind] != names:
            ours, theirs = sorted(found.sets[kind] - names)[:3], sorted(names - found.sets[kind])[:3]
            return f"{kind}: only foretold {ours}, only real {theirs}"
    if not wanted.raises and layout != "mxfp4" and found.wrong != wanted.wrong:
        ours, theirs = sorted(found.wrong - wanted.wrong)[:3], sorted(wanted.wrong - found.wrong)[:3]
        return f"misread: only foretold {ours}, only real {theirs}"
    if damage == "healthy" and not wanted.raises and verdict != "loads":
        return f"a healthy checkpoint is said to be {verdict}"
    return ""


@pytest.mark.parametrize(("model", "layout", "damage"), SAMPLE)
def test_a_load_goes_as_foretold(model: str, layout: str, damage: str, tmp_path: Path) -> None:
    assert compare(tmp_path / "made", model, layout, damage) == ""


@pytest.mark.oracle
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(("model", "layout"), PAIRS)
def test_every_load_goes_as_foretold(model: str, layout: str, damage: str, tmp_path: Path) -> None:
    found = compare(tmp_path / "made", model, layout, damage)
    assert found in ("", "none") or found.startswith("unknown")
