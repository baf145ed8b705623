"""Training states that real torch wrote with two ranks: what is read of them, what is absent, and what a merge gives."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from loadproof.core.families import names_of
from loadproof.core.training import TrainingState
from loadproof.formats.dcp import read_metadata
from loadproof.formats.faults import Faults
from loadproof.formats.training import find_states
from loadproof.storage import open_folder

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ranks")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "tests.differential.dcp_ranks", str(folder)]
    ranks = [subprocess.Popen([*command, str(rank), port], stderr=subprocess.PIPE) for rank in range(2)]
    for rank in ranks:
        assert rank.wait(120) == 0, rank.communicate()[1].decode()
    return folder


def copied(saved: Path, tmp_path: Path, *names: str) -> Path:
    for name in names:
        source = saved / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name)
        else:
            shutil.copy(source, tmp_path / name)
    return tmp_path


def states(folder: Path) -> tuple[TrainingState, ...]:
    with open_folder(str(folder)) as storage:
        return find_states(storage)[0]


def table(state: TrainingState) -> dict[str, tuple[str | None, tuple[int, ...] | None]]:
    return {
        name: (family.dtype, family.shape)
        for family in state.families
        for name in names_of(family.template, family.axes)
    }


@pytest.mark.parametrize("name", ["pytorch_model_fsdp_0", "plain"])
def test_names_shapes_and_places_are_those_that_torch_reads(saved: Path, name: str) -> None:
    from torch.distributed.checkpoint import FileSystemReader
    from torch.distributed.checkpoint.metadata import TensorStorageMetadata

    real = FileSystemReader(saved / name).read_metadata()
    faults = Faults()
    found = read_metadata((saved / name / ".metadata").read_bytes(), ".metadata", faults)
    assert faults.result() == ()
    assert found.entries.keys() == real.state_dict_metadata.keys()
    for key, value in real.state_dict_metadata.items():
        entry = found.entries[key]
        if isinstance(value, TensorStorageMetadata):
            assert (entry.dtype, entry.shape) == (str(value.properties.dtype)[6:], tuple(value.size))
        else:
            assert entry.dtype is None
        assert entry.path == real.planner_data[key]
    least: dict[str, int] = {}
    for place in real.storage_data.values():
        least[place.relative_path] = max(least.get(place.relative_path, 0), place.offset + place.length)
    assert found.files == least


def test_the_merge_of_accelerate_gives_the_foretold_names(saved: Path, tmp_path: Path) -> None:
    from accelerate.utils import merge_fsdp_weights
    from safetensors.torch import load_file

    folder = copied(saved, tmp_path, "pytorch_model_fsdp_0")
    (state,) = states(folder)
    assert (state.parts, state.is_complete) == (2, True)
    assert state.command == "accelerate merge-weights {folder}/pytorch_model_fsdp_0 OUT"
    merge_fsdp_weights(str(folder / state.folder), str(tmp_path / "OUT"))
    merged = load_file(tmp_path / "OUT" / "model.safetensors")
    assert {name: shape for name, (_, shape) in table(state).items()} == {k: tuple(v.shape) for k, v in merged.items()}
    whole = torch.load(saved / "whole.pt", weights_only=True)
    assert all(torch.equal(merged[name], value) for name, value in whole.items())


def test_the_command_for_a_plain_one_writes_the_foretold_names(saved: Path, tmp_path: Path) -> None:
    folder = copied(saved, tmp_path, "plain")
    (state,) = states(folder)
    begin = "python -m torch.distributed.checkpoint.format_utils dcp_to_torch {folder}/plain OUT.pt"
    assert (state.is_complete, state.command) == (True, begin)
    subprocess.run(
        [sys.executable, *state.command.format(folder=folder).split()[1:]], cwd=folder, check=True, capture_output=True
    )
    merged = torch.load(folder / "OUT.pt", weights_only=True)["model"]
    assert {name: shape for name, (_, shape) in table(state).items()} == {k: tuple(v.shape) for k, v in merged.items()}


@pytest.mark.parametrize("rank", [0, 1])
def test_the_file_of_an_absent_rank_is_named(saved: Path, tmp_path: Path, rank: int) -> None:
    folder = copied(saved, tmp_path, "pytorch_model_fsdp_0")
    (folder / "pytorch_model_fsdp_0" / f"__{rank}_0.distcp").unlink()
    (state,) = states(folder)
    assert (state.is_complete, state.absent) == (False, (f"pytorch_model_fsdp_0/__{rank}_0.distcp",))


def test_a_file_that_is_cut_is_named(saved: Path, tmp_path: Path) -> None:
    folder = copied(saved, tmp_path, "pytorch_model_fsdp_0")
    part = folder / "pytorch_model_fsdp_0" / "__1_0.distcp"
    part.write_bytes(part.read_bytes()[:-200])
    (state,) = states(folder)
    assert state.is_complete is False
    assert "__1_0.distcp has" in state.facts[0]


def test_without_its_metadata_nothing_can_be_merged(saved: Path, tmp_path: Path) -> None:
    folder = copied(saved, tmp_path, "pytorch_model_fsdp_0")
    (folder / "pytorch_model_fsdp_0" / ".metadata").unlink()
    (state,) = states(folder)
    assert (state.is_complete, state.absent) == (False, ("pytorch_model_fsdp_0/.metadata",))


def test_the_files_of_ranks_name_the_whole_shapes(saved: Path, tmp_path: Path) -> None:
    names = [f"model_world_size_2_rank_{rank}.pt" for rank in range(2)]
    (state,) = states(copied(saved, tmp_path, *names))
    assert (state.kind, state.parts, state.is_complete) == ("verl FSDP state", 2, True)
    whole = torch.load(saved / "whole.pt", weights_only=True)
    assert {name: shape for name, (_, shape) in table(state).items()} == {k: tuple(v.shape) for k, v in whole.items()}


def test_an_absent_rank_of_such_files_is_named(saved: Path, tmp_path: Path) -> None:
    (state,) = states(copied(saved, tmp_path, "model_world_size_2_rank_0.pt"))
    assert (state.is_complete, state.absent) == (False, ("model_world_size_2_rank_1.pt",))
