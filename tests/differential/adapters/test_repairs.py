"""Every repair that is called lossless makes the adapter load whole in the real library, and gives nothing up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loadproof.api import check, fix
from tests.differential.adapters import real
from tests.differential.adapters.bases import BASES
from tests.differential.adapters.damage import DAMAGES
from tests.differential.adapters.real import Adapter
from tests.differential.adapters.test_adapters import damaged

pytestmark = pytest.mark.torch
_SAMPLE = (
    "no prefix",
    "compiled",
    "without the head's model",
    "fewer targets",
    "a target as text",
    "layer 0 alone",
    "r as text",
)


def scale_of(folder: Path) -> tuple[object, ...]:
    config = json.loads((folder / "adapter_config.json").read_text())
    return (float(config["lora_alpha"] or 0), float(config["r"]), config["use_rslora"], str(config["alpha_pattern"]))


def repaired(adapter: Adapter, base: str, folder: Path) -> bool:
    """Whether a lossless repair was offered; then it was carried out, and the real library takes all of it."""
    real.write(adapter, folder)
    before = scale_of(folder)
    report = check(folder)
    if report.verdict in ("loads", "inconclusive"):
        return False
    offered = [one for f in report.findings for one in f.fixes if one.safety == "lossless" and one.edits]
    if not offered:
        return False
    assert fix(folder, apply=True).applied is not None
    truth = real.load(folder, base)
    assert truth.error is None, truth.error
    assert truth.unexpected == []
    assert [said for said in truth.warnings if "missing adapter keys" in said] == []
    assert scale_of(folder) == before
    assert check(folder).verdict == "loads"
    return True


@pytest.mark.parametrize("kind", _SAMPLE)
def test_a_repair_makes_it_whole(kind: str, tmp_path: Path) -> None:
    adapter = real.healthy("llama", "lora")
    assert adapter is not None
    assert repaired(damaged(adapter, kind), "llama", tmp_path)


@pytest.mark.parametrize("kind", ["no layer 1", "transposed", "r 8"])
def test_what_is_lost_or_rescaled_is_not_repaired_silently(kind: str, tmp_path: Path) -> None:
    adapter = real.healthy("llama", "lora")
    assert adapter is not None
    assert not repaired(damaged(adapter, kind), "llama", tmp_path)


_METHODS = [("llama", m) for m in ("lora", "lora_save", "lora_ranks", "dora", "lora_bias")]
_METHODS += [(base, "lora") for base in BASES if base != "llama"]


@pytest.mark.oracle
@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize(("base", "method"), _METHODS)
def test_every_repair(base: str, method: str, kind: str, tmp_path: Path) -> None:
    adapter = real.healthy(base, method)
    assert adapter is not None
    made = damaged(adapter, kind)
    if made == adapter or not made.tensors or not repaired(made, base, tmp_path):
        pytest.skip("nothing to repair")
