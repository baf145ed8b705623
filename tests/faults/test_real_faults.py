"""The same repairs as real processes: killed, or told EIO and ENOSPC, at every system call that changes something."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from loadproof.records.key import make_key
from loadproof.repair import recover, undo
from tests.faults.explore import visible
from tests.faults.scenarios import FULL, SCENARIOS, planned
from tests.repair.tiny import snapshot

ROOT = Path(__file__).parents[2]
CALLS = "openat,pwrite64,fsync,rename,link,unlink,ftruncate,fallocate,copy_file_range,pread64"
FAULTS = ("signal=SIGKILL", "error=EIO", "error=ENOSPC")
CHOSEN = tuple(SCENARIOS) if FULL else ("exchange names, two shards", "longer names, room inserted", "drop")
SAMPLE = 30 if FULL else 7  # fault points per scenario and direction
CALL = re.compile(r"^(?:\d+ +)?(\w+)\(")


def strace_works() -> bool:
    if shutil.which("strace") is None:
        return False
    probe = ["strace", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:error=EIO:when=9", "true"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not strace_works(), reason="needs strace that may trace")


class Case:
    """A scenario on disk and the victim's command line; `start` are the files before, `end` after a clean run."""

    def __init__(self, name: str, what: str, work: Path) -> None:
        make_key()  # once for the user: a first run must not make other calls than the next
        self.folder, self.plan_file, self.log, self.what = work / "m", work / "plan", work / "log", what
        self.plan_file.write_bytes(msgspec.msgpack.encode(planned(name, self.folder)))
        if what == "undo":
            assert self.run([], "apply") == 0
        self.start = snapshot(self.folder)
        self.points = self._points()
        self.end = snapshot(self.folder)

    def run(self, strace: list[str], what: str | None = None) -> int:
        victim = [sys.executable, "-m", "tests.faults.victim", str(self.folder), str(self.plan_file), what or self.what]
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [*strace, *victim], cwd=ROOT, capture_output=True, check=False, env=environment
        ).returncode

    def reset(self) -> None:
        for path in self.folder.iterdir():  # the folder stays: records are bound to it
            path.unlink()
        for name, data in self.start.items():
            (self.folder / name).write_bytes(data)

    def _points(self) -> list[tuple[str, int]]:
        """(system call, how many of its kind come before it) from the lock on, by a clean run."""
        assert self.run(["strace", "-qq", "-f", "-o", str(self.log), "-e", f"trace=flock,{CALLS}"]) == 0
        counts: dict[str, int] = {}
        points, started = [], False
        for line in self.log.read_text(errors="replace").splitlines():
            found = CALL.match(line)
            if not found:
                continue
            call = found.group(1)
            counts[call] = counts.get(call, 0) + 1
            started |= call == "flock"
            if started and call != "flock":
                points.append((call, counts[call]))
        return points


def fault_points(case: Case) -> Iterator[tuple[str, int, str]]:
    every = [(call, number, fault) for fault in FAULTS for call, number in case.points]
    yield from every if SAMPLE is None else random.Random(7).sample(every, SAMPLE)


@pytest.mark.parametrize("what", ["apply", "undo"])
@pytest.mark.parametrize("name", CHOSEN)
def test_a_fault_at_any_system_call_ends_old_or_new(name: str, what: str, tmp_path: Path) -> None:
    case = Case(name, what, tmp_path)
    count = 0
    for call, number, fault in fault_points(case):
        case.reset()
        inject = [
            "strace",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            f"trace={call}",
            "-e",
            f"inject={call}:{fault}:when={number}",
        ]
        status = case.run(inject)
        assert status in ((-9, 137) if "KILL" in fault else (0, 3)), (call, number, fault, status)
        recover(str(case.folder))
        after = snapshot(case.folder)
        assert after in (case.start, case.end), (call, number, fault, sorted(after))
        if visible(after) == visible(case.end) and what == "apply":
            undo(str(case.folder))
            assert snapshot(case.folder) == case.start
        count += 1
    print(f"{name}, {what}: {count} faults injected")
