"""Files that shrink, vanish, change or fail at any moment of a check: a report or one clear line, never a traceback.

Every system call by which a check looks at the checkpoint is a moment; a fault is done right before it.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from loadproof.api import check
from loadproof.api.checking import NoCheckpointError
from loadproof.core.case import Report
from tests import zoo
from tests.cli.process import run

CALLS = ("open", "pread", "stat", "fstat", "scandir", "readlink")
SHARD, INDEX, CONFIG = "model-00002-of-00002.safetensors", "model.safetensors.index.json", "config.json"


class Moments:
    """Counts the calls of the operating system; `act` runs before the call of number `at`."""

    def __init__(self, patch: pytest.MonkeyPatch, at: int = -1, act: Callable[[], None] = lambda: None) -> None:
        self.count, self.at, self.act = 0, at, act
        for name in CALLS:
            patch.setattr(os, name, self._wrapped(getattr(os, name)))

    def _wrapped(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self.count += 1
            if self.count == self.at:
                self.act()
            return call(*args, **kwargs)

        return counted


def _vanish(folder: Path, file: str) -> None:
    (folder / file).unlink(missing_ok=True)


def _shrink(folder: Path, file: str) -> None:
    if (folder / file).exists():
        os.truncate(folder / file, (folder / file).stat().st_size // 2)


def _empty(folder: Path, file: str) -> None:
    if (folder / file).exists():
        os.truncate(folder / file, 0)


def _replace(folder: Path, file: str) -> None:
    (folder / "new").write_bytes(b"\xff" * 5_000)
    os.replace(folder / "new", folder / file)


def _link(folder: Path, file: str) -> None:
    _vanish(folder, file)
    (folder / file).symlink_to("/dev/zero")


def _folder(folder: Path, file: str) -> None:
    _vanish(folder, file)
    (folder / file).mkdir(exist_ok=True)


def _pipe(folder: Path, file: str) -> None:
    _vanish(folder, file)
    os.mkfifo(folder / file)


def _everything(folder: Path, _: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _denied(*_: object) -> None:
    raise PermissionError(errno.EACCES, "Permission denied")


def _broken(*_: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


CHANGES = (_vanish, _shrink, _empty, _replace, _link, _folder, _pipe)
FAILURES = (_denied, _broken)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = zoo.build("llama").mutate(zoo.mutation("shards(2)")).write(tmp_path_factory.mktemp("original") / "model")
    check(made, use_cache=False)  # what is imported and read of the library once stays out of the count
    return made


def _checked(folder: Path, at: int, act: Callable[[], None]) -> tuple[Report | None, int]:
    with pytest.MonkeyPatch.context() as patch:
        moments = Moments(patch, at, act)
        report = None
        with suppress(NoCheckpointError):  # the command line says it in one line: the location itself cannot be read
            report = check(folder, use_cache=False)
        return report, moments.count


def _at_every_moment(original: Path, work: Path, step: int, act: Callable[[Path], None]) -> Iterator[Report | None]:
    _, moments = _checked(original, -1, lambda: None)
    assert moments > 20
    for at in range(1, moments + 1, step):
        folder = work / str(at)
        shutil.copytree(original, folder)
        yield _checked(folder, at, lambda folder=folder: act(folder))[0]  # type: ignore[misc]


@pytest.mark.parametrize("file", [SHARD, INDEX, CONFIG])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_file_may_change_at_any_moment(
    change: Callable[[Path, str], None], file: str, original: Path, tmp_path: Path
) -> None:
    for report in _at_every_moment(original, tmp_path, 4, lambda folder: change(folder, file)):
        assert report is None or report.verdict in ("loads", "loads-wrong", "fails", "inconclusive")


@pytest.mark.parametrize("change", [_vanish, _shrink, _replace, _pipe], ids=lambda change: change.__name__)
def test_a_change_before_the_first_look_is_never_taken_for_a_sound_file(
    change: Callable[[Path, str], None], original: Path, tmp_path: Path
) -> None:
    shutil.copytree(original, tmp_path / "model")
    report, _ = _checked(tmp_path / "model", 1, lambda: change(tmp_path / "model", SHARD))
    assert report is not None
    assert report.verdict != "loads"


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.__name__)
def test_any_call_may_fail(failure: Callable[..., None], original: Path, tmp_path: Path) -> None:
    verdicts = {
        report.verdict if report else "one line"
        for report in _at_every_moment(original, tmp_path, 1, lambda folder: failure(folder))
    }
    assert verdicts - {"loads"}


def test_the_whole_folder_may_vanish(original: Path, tmp_path: Path) -> None:
    for report in _at_every_moment(original, tmp_path, 2, lambda folder: _everything(folder, "")):
        assert report is None or report.verdict in ("loads", "loads-wrong", "fails", "inconclusive")


@pytest.mark.parametrize("command", ["check", "fix", "plan", "diff"])
def test_what_may_not_be_read_is_said_in_one_line(command: str, original: Path, tmp_path: Path) -> None:
    """As root everything may be read: a file in the place of the folder fails for everybody."""
    (tmp_path / "file").write_bytes(b"")
    others = [str(original)] if command == "diff" else []
    for place in ("file/model", "nowhere", "x" * 5_000, "nul"):
        done = run(command, str(tmp_path / place), *others)
        assert done.returncode in (1, 2), (place, done.stdout)
        assert "Traceback" not in done.stderr
        assert "internal error" not in done.stderr
        assert done.stderr.strip()
