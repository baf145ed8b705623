"""Torch files written anew as safetensors: every tensor with the bytes that torch loads, the torch file untouched."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from loadproof.core.edits import SaveAsSafetensors
from loadproof.repair import apply, apply_to_copy, plan_edits, undo
from tests.repair.tiny import checkpoint

torch = pytest.importorskip("torch")
safetensors = pytest.importorskip("safetensors.torch")

from tests.differential.torch_files import packed_again  # noqa: E402

pytestmark = pytest.mark.torch
BIN = "pytorch_model.bin"
ONE = SaveAsSafetensors(((BIN, "model.safetensors"),))


def tensors() -> dict[str, Any]:
    torch.manual_seed(1)
    base = torch.randn(6, 8)
    return {
        "plain": torch.randn(5, 3),
        "half": torch.randn(7).to(torch.bfloat16),
        "scalar": torch.tensor(3.5),
        "empty": torch.empty(0, 4),
        "flags": torch.tensor([True, False]),
        "numbers": torch.arange(9),
        "turned": torch.randn(4, 9).t(),
        "columns": base[:, 2:5],
        "rows": base[2:4],
        "steps": base[::2, ::3],
        "deep": torch.randn(2, 3, 4, 5).permute(2, 0, 3, 1),
        "shown": torch.randn(1, 3).expand(4, 3),
        "tied": base,
        "fp8": torch.randn(4, 4).to(torch.float8_e4m3fn),
    }


def written(folder: Path, content: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "config.json").write_text("{}")
    (folder / BIN).write_bytes(content)
    return folder


def saved(value: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    return buffer.getvalue()


def same(loaded: dict[str, Any], wanted: dict[str, Any]) -> bool:
    def raw(value: Any) -> Any:
        return value.contiguous().reshape(-1).view(torch.uint8).tolist()

    return loaded.keys() == wanted.keys() and all(
        (loaded[name].shape, loaded[name].dtype, raw(loaded[name])) == (value.shape, value.dtype, raw(value))
        for name, value in wanted.items()
    )


def forms() -> dict[str, bytes]:
    whole = tensors()
    old = {name: value for name, value in whole.items() if name != "fp8"}  # torch cannot read its own
    return {
        "zip": saved(whole),
        "packed": packed_again(saved(whole), zipfile.ZIP_DEFLATED),
        "legacy": saved(old, _use_new_zipfile_serialization=False),
        "protocol 4": saved(whole, pickle_protocol=4),
    }


@pytest.mark.parametrize("form", ["zip", "packed", "legacy", "protocol 4"])
def test_every_tensor_arrives_with_its_bytes(form: str, tmp_path: Path) -> None:
    content = forms()[form]
    folder = written(tmp_path / "model", content)
    apply_to_copy(plan_edits(checkpoint(folder), [ONE]), str(tmp_path / "out"))
    wanted = {name: value for name, value in tensors().items() if name != "fp8" or form != "legacy"}
    assert same(safetensors.load_file(tmp_path / "out" / "model.safetensors"), wanted)
    assert (tmp_path / "out" / BIN).read_bytes() == content


def test_what_lies_under_a_key_is_taken_out(tmp_path: Path) -> None:
    folder = written(tmp_path / "model", saved({"model": tensors(), "epoch": 3, "other": torch.ones(2)}))
    edit = SaveAsSafetensors(((BIN, "model.safetensors"),), "model")
    apply_to_copy(plan_edits(checkpoint(folder), [edit]), str(tmp_path / "out"))
    assert same(safetensors.load_file(tmp_path / "out" / "model.safetensors"), tensors())


def test_names_that_shared_their_bytes_are_told_in_the_metadata(tmp_path: Path) -> None:
    base = torch.randn(3, 2)
    folder = written(tmp_path / "model", saved({"embed": base, "head": base, "other": torch.randn(3, 2)}))
    apply_to_copy(plan_edits(checkpoint(folder), [ONE]), str(tmp_path / "out"))
    with safetensors.safe_open(tmp_path / "out" / "model.safetensors", "pt") as file:
        assert file.metadata() == {"format": "pt", "head": "embed"}
        assert torch.equal(file.get_tensor("head"), base)


def test_in_place_the_torch_file_stays_and_the_repair_can_be_undone(tmp_path: Path) -> None:
    content = saved(tensors())
    folder = written(tmp_path / "model", content)
    apply(plan_edits(checkpoint(folder), [ONE]))
    assert same(safetensors.load_file(folder / "model.safetensors"), tensors())
    undo(str(folder))
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", BIN]
    assert (folder / BIN).read_bytes() == content


def test_several_files_get_an_index(tmp_path: Path) -> None:
    folder = written(tmp_path / "model", saved({"a": torch.ones(2)}))
    names = [f"pytorch_model-0000{i}-of-00002.bin" for i in (1, 2)]
    targets = [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    for name, key in zip(names, "ab", strict=True):
        (folder / name).write_bytes(saved({key: torch.full((2,), 7.0)}))
    edit = SaveAsSafetensors(tuple(zip(names, targets, strict=True)), "", "model.safetensors.index.json")
    apply_to_copy(plan_edits(checkpoint(folder), [edit]), str(tmp_path / "out"))
    index = json.loads((tmp_path / "out" / "model.safetensors.index.json").read_text())
    assert index == {"metadata": {"total_size": 16}, "weight_map": dict(zip("ab", targets, strict=True))}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (lambda: saved({"s": torch.eye(3).to_sparse()}), "no dense tensor"),
        (lambda: saved({"c": torch.tensor([1 + 2j], dtype=torch.complex128)}), "no type"),
        (lambda: saved({"a": torch.ones(4)})[:-40], "has no end"),
        (lambda: saved({"epoch": 3}), "holds no tensor"),
    ],
)
def test_what_cannot_be_written_whole_is_refused(content: Any, why: str, tmp_path: Path) -> None:
    plan = plan_edits(checkpoint(written(tmp_path / "model", content())), [ONE])
    assert why in plan.refusals[0].reason


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    folder = written(tmp_path / "model", saved({"a": torch.ones(2)}))
    (folder / "model.safetensors").write_bytes(b"x")
    assert "is there already" in plan_edits(checkpoint(folder), [ONE]).refusals[0].reason
