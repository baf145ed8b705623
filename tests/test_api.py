"""The public functions, as a program calls them."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import loadproof
from loadproof.core.families import count

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_check_takes_any_path_and_says_everything_at_once() -> None:
    report = loadproof.check(EXAMPLES / "layer-plan-mismatch")
    assert report.verdict == "loads-wrong"
    assert (report.findings[0].code, report.findings[0].slug) == ("LP301", "layer-plan-mismatch")
    assert report.findings[0].explains == sum(count(row.axes) for row in report.case.outcome.rows) == 15
    assert report.case.config_plan is not None
    assert report.timings.total_s > 0


def test_a_single_weight_file_is_judged_with_the_config_beside_it() -> None:
    report = loadproof.check(str(EXAMPLES / "healthy" / "model.safetensors"))
    assert report.verdict == "loads"


@pytest.mark.parametrize("where", ["nowhere", "."])
def test_no_checkpoint_is_an_exception(tmp_path: Path, where: str) -> None:
    with pytest.raises(loadproof.NoCheckpointError):
        loadproof.check(os.path.normpath(tmp_path / where))


def test_an_unknown_reader_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="unknown reader 'nobody'"):
        loadproof.check(EXAMPLES / "healthy", reader="nobody")


def test_another_release_than_the_one_at_hand_is_inconclusive() -> None:
    report = loadproof.check(EXAMPLES / "healthy", reader="transformers@1.2.3")
    assert report.verdict == "inconclusive"
    assert "1.2.3" in (report.case.expectation.inconclusive or "")


def test_names_only_judges_an_index_without_its_shards(tmp_path: Path) -> None:
    for name in ("config.json", "model.safetensors.index.json"):
        shutil.copy(EXAMPLES / "layer-plan-mismatch" / name, tmp_path / name)
    by_name = loadproof.check(tmp_path, names_only=True)
    assert by_name.verdict == "loads-wrong"
    assert by_name.findings[0].slug == "layer-plan-mismatch"
    assert any("shapes" in skip.what for skip in by_name.skipped)
    assert loadproof.check(tmp_path).verdict == "fails"


def test_names_only_reads_the_headers_that_are_there_and_says_so() -> None:
    report = loadproof.check(EXAMPLES / "head-flattened", names_only=True)
    assert report.findings[0].slug == "head-flattened"
    assert "shapes" in report.checked
    assert not any("shapes" in skip.what for skip in report.skipped)


def test_a_class_that_does_not_exist_is_no_reason_to_name_it_in_the_config() -> None:
    report = loadproof.check(EXAMPLES / "healthy", class_name="NoSuchClass")
    assert report.verdict == "inconclusive"
    assert report.findings == ()


def test_plan_compares_both_sources() -> None:
    report = loadproof.plan(EXAMPLES / "layer-plan-mismatch")
    assert report.differs == (20,)
    assert report.same is False
    assert loadproof.plan(EXAMPLES / "healthy").differs == ()


def test_fix_plans_applies_and_undoes(tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLES / "head-flattened", tmp_path / "x")
    planned = loadproof.fix(folder, ["LP201"])
    assert planned.plan.header_only
    assert planned.applied is None
    assert loadproof.check(folder).verdict == "fails"
    fixed = loadproof.fix(folder, ["LP201"], apply=True)
    assert fixed.after is not None
    assert fixed.after.verdict == "loads"
    loadproof.undo(folder)
    assert (folder / "model.safetensors").read_bytes() == (
        EXAMPLES / "head-flattened" / "model.safetensors"
    ).read_bytes()


def test_diff_finds_the_config_that_fits() -> None:
    report = loadproof.diff(EXAMPLES / "healthy", EXAMPLES / "config-dims-wrong")
    assert [change.path for change in report.config] == [("num_key_value_heads",)]
    assert [fit.fits for fit in report.fits] == [True, True, False, False]
    assert not report.same


def test_explain_reads_a_message_and_decides_with_a_checkpoint() -> None:
    text = "KeyError: 'language_model.model.layers.20.linear_attn'"
    assert loadproof.explain(text).findings
    report = loadproof.explain(text, EXAMPLES / "healthy")
    assert report.case.symptom is not None
    assert report.case.symptom.exception == "KeyError"


def test_a_pointer_without_an_index_cannot_be_judged_by_name(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "healthy" / "config.json", tmp_path)
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 107120\n"
    (tmp_path / "model.safetensors").write_text(pointer)
    assert loadproof.check(tmp_path, names_only=True).verdict == "inconclusive"
    assert loadproof.check(tmp_path).verdict == "fails"


def test_a_config_that_breaks_ends_the_check_there(tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLES / "wrapper-prefix", tmp_path / "x")
    text = (folder / "config.json").read_text()
    (folder / "config.json").write_text(text.replace('"bfloat16"', '"fp16"'))
    report = loadproof.check(folder)
    assert report.verdict == "fails"
    assert report.case.outcome.error == "AttributeError: module 'torch' has no attribute 'fp16'"
    assert [finding.code for finding in report.findings if finding.severity == "error"] == ["LP014"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("num_hidden_layers", 10**30), ("hidden_size", 10**30), ("vocab_size", 10**30), ("num_hidden_layers", 1e30)],
)
def test_a_number_too_large_to_expand_leaves_the_verdict_open(name: str, value: float, tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLES / "healthy", tmp_path / "x")
    raw = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**raw, name: value}))
    report = loadproof.check(folder)
    assert (report.verdict, report.findings[0].code) == ("inconclusive", "LP014")


def test_a_number_that_is_only_wrong_is_judged(tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLES / "healthy", tmp_path / "x")
    raw = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**raw, "num_hidden_layers": -5}))
    assert loadproof.check(folder).verdict == "loads-wrong"


def test_a_config_stands_for_its_folder_and_a_hub_name_gets_a_hint() -> None:
    assert loadproof.check(EXAMPLES / "healthy" / "config.json").verdict == "loads"
    with pytest.raises(loadproof.NoCheckpointError, match="a hub name"):
        loadproof.check("owner/model")
    with pytest.raises(loadproof.NoCheckpointError):
        loadproof.check("")
