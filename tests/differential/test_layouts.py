"""However the files of a checkpoint lie, the verdict is what the library does with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loadproof.api import check
from loadproof.core.case import Report
from tests.differential import layouts, shards, tiny_models

pytestmark = pytest.mark.torch

# What only reading outside of the folder, or of a device, could tell.
OPEN = {"outside_by_dots", "outside_by_an_absolute_path", "a_link_to_a_device_for_a_shard", "nothing_for_the_config"}
LOUD = {"out_and_in_again", "an_absolute_path_inside", "the_folder_as_a_shard"}  # load, and deserve a warning


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A saved model as one file, and the same in two shards."""
    from safetensors.torch import load_file

    top = tmp_path_factory.mktemp("healthy")
    one, two = top / "one", top / "two"
    tiny_models.build("llama").save_pretrained(one)
    tensors = dict(load_file(one / layouts.WEIGHTS))
    two.mkdir()
    (two / "config.json").write_bytes((one / "config.json").read_bytes())
    parts = shards.shards_of(tensors, 2)
    for name, part in parts.items():
        shards.write(str(two), name, part)
    shards.write_index(str(two), {tensor: name for name, part in parts.items() for tensor in part}, metadata={})
    return one, two


def loaded(folder: Path) -> str:
    """``loads``, ``loads-wrong`` or the exception of the real library."""
    from transformers import AutoModelForCausalLM

    try:
        _, info = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "loads-wrong" if info["missing_keys"] else "loads"


@pytest.mark.parametrize("name", layouts.LAYOUTS)
def test_the_verdict_is_what_the_library_does(name: str, healthy: tuple[Path, Path], tmp_path: Path) -> None:
    folder = layouts.LAYOUTS[name](*healthy, tmp_path)
    real, report = loaded(folder), check(folder)
    if name in OPEN:
        assert (report.verdict, _reason(report)) != ("inconclusive", None)
        return
    assert report.verdict == (real if real.startswith("loads") else "fails"), real
    if report.verdict == "fails":
        assert _error(report).startswith(real.partition(":")[0]), real
    if report.verdict == "loads" and name not in LOUD:
        assert [finding for finding in report.findings if finding.severity != "info"] == []


@pytest.mark.parametrize("name", sorted(OPEN - {"nothing_for_the_config"}))
def test_what_lies_outside_is_left_open(name: str, healthy: tuple[Path, Path], tmp_path: Path) -> None:
    report = check(layouts.LAYOUTS[name](*healthy, tmp_path))
    assert (report.verdict, report.findings[0].code) == ("inconclusive", "LP110")


@pytest.mark.parametrize("name", [name for name in layouts.LAYOUTS if name.startswith("hub_cache")])
def test_a_hub_cache_is_read_even_where_links_are_not_followed(
    name: str, healthy: tuple[Path, Path], tmp_path: Path
) -> None:
    folder = layouts.LAYOUTS[name](*healthy, tmp_path)
    followed, strict = check(folder), check(folder, follow_links=False)
    assert strict.verdict == followed.verdict
    assert "LP115" not in {finding.code for finding in followed.findings}


@pytest.mark.parametrize("name", ["every_file_a_link", "shards_behind_a_linked_folder", "an_index_that_is_a_link"])
def test_links_out_of_a_strangers_folder_leave_the_verdict_open(
    name: str, healthy: tuple[Path, Path], tmp_path: Path
) -> None:
    report = check(layouts.LAYOUTS[name](*healthy, tmp_path), follow_links=False)
    assert (report.verdict, report.findings[0].code) == ("inconclusive", "LP110")


@pytest.mark.parametrize("name", layouts.PIPES)
def test_a_pipe_as_a_shard_is_not_waited_for(name: str, healthy: tuple[Path, Path], tmp_path: Path) -> None:
    folder = layouts.instead(layouts.FIRST, layouts.PIPES[name], sharded=True)(*healthy, tmp_path)
    report = check(folder)
    assert report.verdict == "inconclusive"
    assert "named pipe (FIFO)" in report.findings[0].headline


def _reason(report: Report) -> str | None:
    return report.case.outcome.inconclusive or report.case.expectation.inconclusive


def _error(report: Report) -> str:
    from loadproof.report.words import failure

    return failure(report)


def test_a_published_shared_blob_is_read(healthy: tuple[Path, Path], tmp_path: Path, monkeypatch: Any) -> None:
    """The layout as huggingface_hub itself makes it."""
    blobs = pytest.importorskip("huggingface_hub.utils._shared_blobs", reason="huggingface_hub before 2.4")
    snapshot = layouts.cached(healthy[0], tmp_path)
    blob = Path((snapshot / layouts.WEIGHTS).parent / (snapshot / layouts.WEIGHTS).readlink())
    size = blob.stat().st_size
    cache = tmp_path / "hub"
    assert blobs.publish_blob_to_shared_store(
        blob_path=Path(blob.resolve()), xet_hash="ab" * 32, cache_dir=cache, expected_size=size
    )
    assert Path(blob.resolve()).is_relative_to(cache / "blobs")
    assert check(snapshot, follow_links=False).verdict == loaded(snapshot) == "loads"
