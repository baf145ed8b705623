"""Repairs of tensors in torch files: the tensors are written as safetensors first, the torch file stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadproof
from tests.zoo.checkpoint import build
from tests.zoo.mutations import mutation


def written(folder: Path, *mutations: str) -> Path:
    return build("llama").mutate(*map(mutation, mutations)).write(folder)


@pytest.mark.parametrize("shards", [1, 3])
def test_names_are_put_right_in_safetensors_files(shards: int, tmp_path: Path) -> None:
    change = ("shards(3)",) if shards > 1 else ()
    folder = written(tmp_path / "model", 'add_prefix("module.")', *change, "torch_files()")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    report = loadproof.fix(str(folder), apply=True)
    assert report.after is not None
    assert (report.before.verdict, report.after.verdict) == ("loads-wrong", "loads")
    assert {name: (folder / name).read_bytes() for name in before} == before


def test_several_repairs_share_one_writing(tmp_path: Path) -> None:
    folder = written(
        tmp_path / "model", 'flatten("lm_head.weight")', 'transpose("*.down_proj.weight")', "torch_files()"
    )
    report = loadproof.fix(str(folder), out=str(tmp_path / "out"))
    assert report.after is not None
    assert len([choice for choice in report.choices if choice.fix]) == 2
    assert report.after.verdict == "loads"


def test_what_the_files_do_not_allow_is_advice_with_its_reason(tmp_path: Path) -> None:
    folder = written(tmp_path / "model", 'add_prefix("module.")', "torch_files()", 'extra_file("model.pt", "x")')
    (folder / "pytorch_model.bin").write_bytes((folder / "pytorch_model.bin").read_bytes()[:-40])
    report = loadproof.check(str(folder))
    assert report.verdict == "fails"
    assert not any(fix.edits for finding in report.findings for fix in finding.fixes)
