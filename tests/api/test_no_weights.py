"""Where no weights are found, the advice names what lies there and what to do with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api import check
from loadproof.api.checking import NoCheckpointError
from tests import zoo


def test_a_folder_of_checkpoints_names_them(tmp_path: Path) -> None:
    zoo.build("llama").write(tmp_path / "checkpoint-500")
    with pytest.raises(NoCheckpointError, match=r"; check .*checkpoint-500"):
        check(tmp_path)
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "checkpoint-500").rename(tmp_path / "snapshots" / "beef")
    with pytest.raises(NoCheckpointError, match=r"; check .*snapshots/beef"):
        check(tmp_path)


def test_an_incomplete_set_without_an_index_names_the_absent_shards(tmp_path: Path) -> None:
    made = zoo.build("llama").mutate(zoo.mutation("shards(3)")).write(tmp_path / "model")
    (made / "model.safetensors.index.json").unlink()
    (made / "model-00003-of-00003.safetensors").unlink()
    (finding,) = (one for one in check(made).findings if one.code == "LP112")
    assert finding.fixes[0].title == "download shard 3 of 3 and the index"


def test_the_only_weight_file_under_another_name_is_to_be_renamed(tmp_path: Path) -> None:
    made = zoo.build("llama").write(tmp_path / "model")
    (made / "model.safetensors").rename(made / "weights.safetensors")
    (finding,) = (one for one in check(made).findings if one.code == "LP112")
    assert "mv weights.safetensors model.safetensors" in finding.fixes[0].title
