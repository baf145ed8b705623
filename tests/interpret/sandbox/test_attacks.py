"""Code that has all of Python and ctypes, inside of the wall: nothing works, and the same things do work outside."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpret.sandbox.opening import TESTS, require_wall

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="the attacks are numbers of Linux on x86_64"
)
NOBODY = 65534
EPERM = 1


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A folder in which anybody may do anything."""
    folder = tmp_path / "victim"
    folder.mkdir()
    for name in ("secret", "exe", *map(str, range(12))):
        (folder / name).write_text("#!/bin/true\n")
        (folder / name).chmod(0o777)
    for number in range(4):
        (folder / f"dir{number}").mkdir()
    (folder / "link").symlink_to("secret")
    folder.chmod(0o777)
    return folder


def run(mode: str, user: int, victim: Path) -> dict[str, str | int]:
    if user != os.geteuid() and os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    require_wall()
    for above in victim.parents[:2]:  # the folders of pytest are for its user alone
        above.chmod(0o755)
    command = [sys.executable, "-m", "tests.interpret.sandbox.attacking", mode, str(user)]
    done = subprocess.run(
        command,
        cwd=victim,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(TESTS.parent)},
        timeout=100,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    outcomes: dict[str, str | int] = json.loads(done.stdout)
    return outcomes


def state(folder: Path) -> list[tuple[str, int, int, int, int]]:
    """Everything about a folder that an attack could change."""
    infos = [(path, path.lstat()) for path in sorted(folder.rglob("*"))]
    return [(str(path), i.st_mode, i.st_size, i.st_mtime_ns, i.st_ctime_ns) for path, i in infos]


@pytest.mark.parametrize("user", [os.geteuid(), NOBODY])
def test_no_attack_works_behind_the_wall(user: int, victim: Path) -> None:
    before = state(victim)
    outcomes = run("walled", user, victim)
    assert {name: what for name, what in outcomes.items() if what not in ("killed", EPERM)} == {}
    assert len(outcomes) >= 300
    assert list(outcomes.values()).count("killed") >= 250
    assert state(victim) == before


@pytest.mark.parametrize(("user", "fewest"), [(os.geteuid(), 150), (NOBODY, 120)])
def test_the_same_attacks_bite_where_there_is_no_wall(user: int, fewest: int, victim: Path) -> None:
    before = state(victim)
    outcomes = run("open", user, victim)
    assert list(outcomes.values()).count("worked") >= fewest
    assert "killed" not in outcomes.values()
    assert state(victim) != before
