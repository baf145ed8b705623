"""Which checkpoints a path, a pattern or a folder of checkpoints stands for."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.api.targets import find_targets


def checkpoint(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in names or ("config.json", "model.safetensors"):
        (folder / name).write_text("{}")
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_checkpoints_of_a_trainer_come_in_the_order_of_their_numbers(here: Path) -> None:
    for name in ("checkpoint-1000", "checkpoint-200", "checkpoint-90"):
        checkpoint(here / "runs" / name)
    (here / "runs" / "logs").mkdir()
    found = find_targets(["runs"])
    assert found.paths == ("runs/checkpoint-90", "runs/checkpoint-200", "runs/checkpoint-1000")
    assert found.several


def test_a_folder_that_is_a_checkpoint_is_one_target_unless_what_lies_below_is_asked_for(here: Path) -> None:
    checkpoint(here / "out")
    checkpoint(here / "out" / "checkpoint-1")
    assert find_targets(["out"]).paths == ("out",)
    assert not find_targets(["out"]).several
    assert find_targets(["out"], below=True).paths == ("out", "out/checkpoint-1")


def test_snapshots_of_a_hub_cache_and_parts_of_a_pipeline_are_found(here: Path) -> None:
    checkpoint(here / "hub" / "models--a--b" / "snapshots" / "abc")
    (here / "hub" / "models--a--b" / "blobs").mkdir()
    (here / "hub" / "models--a--b" / "blobs" / ("e" * 64)).write_text("x")
    checkpoint(here / "hub" / ".locks" / "models--a--b")
    (here / "pipe").mkdir()
    (here / "pipe" / "model_index.json").write_text("{}")
    checkpoint(here / "pipe" / "unet")
    checkpoint(here / "pipe" / "scheduler", "scheduler_config.json")
    assert find_targets(["hub"]).paths == ("hub/models--a--b/snapshots/abc",)
    assert find_targets(["pipe"]).paths == ("pipe/unet",)


def test_a_save_without_weights_is_still_a_target(here: Path) -> None:
    checkpoint(here / "runs" / "checkpoint-1", "config.json")
    assert find_targets(["runs"]).paths == ("runs/checkpoint-1",)


def test_of_what_a_pattern_matches_only_checkpoints_count(here: Path) -> None:
    checkpoint(here / "runs" / "a")
    checkpoint(here / "runs" / "b")
    (here / "runs" / "log.txt").write_text("x")
    (here / "runs" / "empty").mkdir()
    assert find_targets(["runs/*"]).paths == ("runs/a", "runs/b")
    assert find_targets(["runs/z*"]).problems == (("runs/z*", "no file matches this pattern"),)


def test_a_name_with_the_signs_of_a_pattern_is_that_name(here: Path) -> None:
    checkpoint(here / "run[1]")
    checkpoint(here / "run1")
    assert find_targets(["run[1]"]).paths == ("run[1]",)


def test_a_target_counts_once(here: Path) -> None:
    checkpoint(here / "a")
    assert find_targets(["a", "a", "a*"]).paths == ("a",)


def test_a_circle_of_links_ends(here: Path) -> None:
    checkpoint(here / "runs" / "a")
    (here / "runs" / "again").symlink_to(here / "runs")
    assert find_targets(["runs"]).paths == ("runs/a",)


def test_a_folder_without_any_is_left_to_the_check_to_complain_about(here: Path) -> None:
    (here / "empty").mkdir()
    found = find_targets(["empty"])
    assert (found.paths, found.several) == (("empty",), False)


def test_changed_files_stand_for_their_folders(here: Path) -> None:
    checkpoint(here / "a", "config.json", "model-00001-of-00002.safetensors")
    (here / "src").mkdir()
    (here / "src" / "x.json").write_text("{}")
    files = ["a/config.json", "a/model-00001-of-00002.safetensors", "src/x.json"]
    assert find_targets(files, files=True).paths == ("a",)
    assert find_targets(["src/x.json"], files=True).paths == ()
