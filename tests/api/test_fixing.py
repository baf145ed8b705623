"""Which fix is chosen for a finding, and what becomes of one that is no gain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loadproof.api import checking
from loadproof.api.fixing import _choose, fix
from loadproof.cli.fix import main
from loadproof.core.edits import DropTensors, Fix
from loadproof.core.findings import Finding
from tests import zoo

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
    assert _choose(guess, False, is_named=False).why == "only a possible cause; name LP401 to fix it"
    assert _choose(guess, False, is_named=True).fix is not None


def test_the_better_way_by_hand_stands_beside_a_lossy_one() -> None:
    lossy, manual = Fix("keep the base alone", "lossy", EDIT, "the training"), Fix("merge it", "manual")
    choice = _choose(finding(manual, lossy), False, is_named=True)
    assert choice.why == "merge it; or, with --unsafe: keep the base alone (loses the training)"


def test_a_manual_fix_is_advice_and_no_fix_is_said() -> None:
    assert _choose(finding(Fix("ask the author", "manual")), True, is_named=True).why == "ask the author"
    assert _choose(finding(), True, is_named=True).why == "no edit of these files fixes it"


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


class _Harmful:
    """A rule that is wrong, and a proof that is not asked: what the repair on disk still has to catch."""

    def __init__(self, edits: tuple[Any, ...]) -> None:
        self.edits, self.conclude = edits, checking.conclude

    def __call__(self, *given: Any) -> Any:
        report = self.conclude(*given)
        wrong = Finding(
            "LP401", "wrapper-prefix", "error", "certain", "x", fixes=(Fix("harm", "lossless", self.edits),)
        )
        return report.__class__(report.case, report.verdict, (wrong, *report.findings), *_rest(report))


def _rest(report: Any) -> tuple[Any, ...]:
    return report.unexplained, report.checked, report.skipped, report.timings


def test_a_repair_that_is_no_gain_on_disk_is_taken_back(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    folder = zoo.build("llama").write(tmp_path / "model")
    before = _bytes(folder)
    drop = (DropTensors("model.norm.weight", ()),)
    monkeypatch.setattr(checking, "conclude", _Harmful(drop))
    monkeypatch.setattr(checking, "_with_proven_fixes", lambda report: report)
    repaired = fix(folder, ["LP401"], apply=True)
    assert repaired.applied is None
    assert "the repaired checkpoint was no better" in repaired.restored
    assert {name: data for name, data in _bytes(folder).items() if name in before} == before
    assert main([str(folder), "LP401", "--apply"]) == 1
    assert "taken back: the repaired checkpoint was no better" in capsys.readouterr().out


def test_a_fix_without_proof_is_not_planned(tmp_path: Path, monkeypatch: Any) -> None:
    folder = zoo.build("llama").write(tmp_path / "model")
    monkeypatch.setattr(checking, "conclude", _Harmful((DropTensors("model.norm.weight", ()),)))
    planned = fix(folder, ["LP401"])
    assert planned.plan.edits == ()
    assert "not offered as a repair" in planned.choices[0].why


def test_weights_whose_declaration_is_restored_are_judged_under_it(tmp_path: Path) -> None:
    quantized = zoo.build("llama").mutate(zoo.mutation('fp8_blocks("*_proj.weight")'))
    folder = quantized.write(tmp_path / "model")
    assert main([str(folder), "LP601", "--apply"]) == 0
    assert checking.check(folder).verdict == "loads"


def test_the_old_name_of_apply_still_works_and_warns(tmp_path: Path) -> None:
    folder = zoo.build("llama").write(tmp_path / "checkpoint")
    with pytest.warns(DeprecationWarning, match=r"apply_it=.*apply=") as caught:
        assert fix(folder, apply_it=True).applied is None  # nothing to fix
    assert caught[0].filename == __file__


def test_shards_are_not_set_aside_while_the_files_that_the_index_names_are_not_read(tmp_path: Path) -> None:
    folder = zoo.build("llama").mutate(zoo.mutation("shards(3)")).write(tmp_path / "model")
    index = folder / "model.safetensors.index.json"
    index.write_text(index.read_text().replace(': "model-', ': "../store/model-'))
    before = sorted(path.name for path in folder.iterdir())
    main([str(folder), "--apply"])
    assert sorted(path.name for path in folder.iterdir()) == before
