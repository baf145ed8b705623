"""A checkpoint is one session: the same wherever it lies, and every file is opened once."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from loadproof.api import NoCheckpointError, check
from loadproof.api.fixing import RepairError, folder_at
from loadproof.core.checkpoint import Selection
from loadproof.core.edits import SetJson
from loadproof.formats import checkpoint_at
from loadproof.repair import plan_edits
from loadproof.storage import UnreadableError, folder
from loadproof.storage.memory import Memory
from tests import zoo
from tests.formats.tiny import shard, write_shards
from tests.hostile import index_cases, safetensors_cases
from tests.hostile.selecting import select


def in_memory(root: Path, **more: str) -> Memory:
    files = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    return Memory(files, **more)


@pytest.mark.parametrize("cases", [safetensors_cases, index_cases])
def test_bytes_in_memory_are_judged_as_the_same_folder(cases: object, tmp_path: Path) -> None:
    for number, case in enumerate(cases.cases()):  # type: ignore[attr-defined]
        root = case.write(tmp_path / str(number))
        if any(path.is_symlink() or not path.is_file() for path in root.rglob("*")):
            continue  # bytes have no links, pipes and empty folders
        on_disk, elsewhere = checkpoint_at(str(root)), checkpoint_at(in_memory(root, place=str(root)))
        assert elsewhere.inventory == on_disk.inventory, case.id
        selection = select(on_disk.inventory)
        assert elsewhere.manifest(selection) == on_disk.manifest(selection), case.id


def test_a_check_of_bytes_in_memory_gives_the_report_of_the_folder(tmp_path: Path) -> None:
    made = zoo.build("llama_tied").mutate(zoo.mutation("shards(2)"), zoo.mutation('add_prefix("module.")'))
    root = made.write(tmp_path / "model")
    report, expected = check(in_memory(root, place=str(root))), check(root)
    assert (report.verdict, report.text().rpartition("checked")[0]) == (
        expected.verdict,
        expected.text().rpartition("checked")[0],
    )


def test_what_lies_on_no_disk_is_not_repaired(tmp_path: Path) -> None:
    checkpoint = checkpoint_at(in_memory(zoo.build("llama").write(tmp_path / "model")))
    (refusal,) = plan_edits(checkpoint, [SetJson("config.json", ("a",), 1)]).refusals
    assert refusal.reason == "the files do not lie on this machine"


def test_a_repository_s_own_code_elsewhere_is_not_looked_for_here(tmp_path: Path) -> None:
    made = zoo.build("llama")
    config = {**(made.config or {}), "auto_map": {"AutoConfig": "configuration_x.X"}, "model_type": "x"}
    root = made.replace(config=config).write(tmp_path / "model")
    for file in ("configuration_x.py", "modeling_x.py"):
        (root / file).write_text("")
    report = check(in_memory(root))
    assert report.case.expectation.inconclusive == "the model's own code is not on this machine"


def test_an_empty_storage_is_no_checkpoint() -> None:
    with pytest.raises(NoCheckpointError, match="nowhere: no checkpoint here"):
        check(Memory({"readme.md": b"x"}, place="nowhere"))


def test_a_refused_file_is_a_problem_that_says_why() -> None:
    files = {"config.json": b"{}", "model.safetensors": UnreadableError("permission", "is not given out (403)")}
    inventory = checkpoint_at(Memory(files)).inventory
    assert [(problem.code, problem.text) for problem in inventory.problems] == [
        ("LP102", "the file is not given out (403)")
    ]
    assert [(info.path, info.kind) for info in inventory.files] == [
        ("config.json", "json"),
        ("model.safetensors", "unreadable"),
    ]


def test_a_file_url_is_its_folder(tmp_path: Path) -> None:
    root = zoo.build("llama").write(tmp_path / "a model")
    url = "file://" + str(root).replace(" ", "%20")
    assert check(url).verdict == "loads"
    assert folder_at(url) == str(root)
    with pytest.raises(NoCheckpointError, match="No such file"):
        check("nothing://here")


def test_only_a_folder_on_this_machine_is_repaired(monkeypatch: pytest.MonkeyPatch) -> None:
    there = checkpoint_at(Memory({"config.json": b"{}"}))
    monkeypatch.setattr("loadproof.api.fixing.open_checkpoint", lambda _: there)
    with pytest.raises(RepairError, match="does not lie on this machine"):
        folder_at("far://away")


def test_every_file_is_opened_once_in_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_shards(tmp_path, {"a.safetensors": {"x": [2]}, "b.safetensors": {"y": [2]}})
    (tmp_path / "config.json").write_text("{}")
    opened: Counter[str] = Counter()

    def counted(path: str, flags: int, **more: int) -> int:
        opened[path] += 1
        return os.open(path, flags, **more)

    monkeypatch.setattr(folder, "os", _Os(counted))
    checkpoint = checkpoint_at(str(tmp_path))
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with checkpoint:
        manifest = checkpoint.manifest(select(checkpoint.inventory))
        assert checkpoint.config.path == "config.json"
        records = checkpoint.records(("a.safetensors", "b.safetensors"), {"x", "y"})
        assert [len(checkpoint.payload(record)) for record in records.values()] == [4, 4]
        opened_inside = {name: times for name, times in opened.items() if name.endswith(("safetensors", "config.json"))}
    assert manifest.tensors == 2
    assert set(opened_inside.values()) == {2}  # to list them, and in the session
    assert not before or len(os.listdir("/proc/self/fd")) == before


class _Os:
    """`os` with another `open`."""

    def __init__(self, opening: object) -> None:
        self.open = opening

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)


def test_more_files_than_are_kept_open_are_read_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "_MOST_KEPT", 2)
    for number in range(5):
        (tmp_path / f"{number}.safetensors").write_bytes(shard({f"t.{number}": [2]}))
    files = tuple(f"{number}.safetensors" for number in range(5))
    with checkpoint_at(str(tmp_path)) as checkpoint:
        assert checkpoint.manifest(Selection(None, files, "safetensors")).tensors == 5
        assert len(checkpoint.records(files, {f"t.{number}" for number in range(5)})) == 5
