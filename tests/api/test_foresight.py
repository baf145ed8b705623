"""The dry run of `fix` foresees what `--apply` would refuse, and offers only what works."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from loadproof.api.fixing import fix
from loadproof.cli.fix import main
from loadproof.repair import RepairError
from tests import zoo

CONFIG, WEIGHTS = "config.json", "model.safetensors"
Obstacle = Callable[[Path, ExitStack], None]


def linked_config(folder: Path, _stack: ExitStack) -> None:
    (folder / CONFIG).rename(folder.parent / "elsewhere.json")
    (folder / CONFIG).symlink_to(folder.parent / "elsewhere.json")


def read_only_config(folder: Path, _stack: ExitStack) -> None:
    (folder / CONFIG).chmod(0o444)


def hub_cache(folder: Path, _stack: ExitStack) -> None:
    (folder.parent / "models--org--name").mkdir()
    folder.rename(folder.parent / "models--org--name" / folder.name)
    folder.symlink_to(folder.parent / "models--org--name" / folder.name)


def locked_folder(folder: Path, stack: ExitStack) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    stack.callback(os.close, descriptor)
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def open_key(_folder: Path, stack: ExitStack) -> None:
    """The key of the user's records is readable for everybody."""
    state = Path(os.environ["XDG_STATE_HOME"]) / "loadproof"
    state.mkdir(parents=True, exist_ok=True)
    (state / "record-key").write_bytes(bytes(32))
    (state / "record-key").chmod(0o644)
    stack.callback((state / "record-key").unlink)


def full_disk(_folder: Path, stack: ExitStack) -> None:
    patch = pytest.MonkeyPatch()
    patch.setattr("loadproof.repair.permission.free_bytes", lambda _folder: 0)
    stack.callback(patch.undo)


@pytest.mark.parametrize("obstacle", [linked_config, read_only_config, hub_cache, locked_folder, open_key, full_disk])
def test_what_apply_would_refuse_stands_in_the_plan(
    obstacle: Obstacle, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = zoo.build("llama").mutate(zoo.mutation("set_config('num_hidden_layers', 3)")).write(tmp_path / "model")
    with ExitStack() as stack:
        obstacle(folder, stack)
        planned = fix(folder)
        assert planned.plan.edits
        assert planned.blocked
        with pytest.raises(RepairError) as refused:
            fix(folder, apply=True)
        assert set(refused.value.refusals) == set(planned.blocked)
        assert main([str(folder)]) == 0
        said = capsys.readouterr().out
        assert "nothing was changed; in place it would be refused: " + planned.blocked[0].reason in said
        assert "--apply\n" not in said
        if obstacle not in (locked_folder, open_key):
            assert "--out NEW_FOLDER" in said
            assert main([str(folder), "--out", str(tmp_path / "copy")]) == 0


def test_without_an_obstacle_nothing_is_foreseen_and_both_ways_are_offered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = zoo.build("llama").mutate(zoo.mutation("set_config('num_hidden_layers', 3)")).write(tmp_path / "model")
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}
    assert fix(folder).blocked == ()
    assert {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()} == before
    main([str(folder)])
    said = capsys.readouterr().out
    assert "--apply\n" in said
    assert "--out NEW_FOLDER\n" in said
