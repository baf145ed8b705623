"""Repairs and undos killed with SIGKILL at random moments, or told EIO and ENOSPC by the disk; then recovered.

``python -m tests.faults.kills 200`` runs that many kills and prints what they left; `make faults` has them as well.
Every repair is one of a checkpoint below another one, which has an undo record of its own: `trainer/checkpoint-N`.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loadproof.repair import RepairError, apply, in_place, permission, plan_edits, recover, undo
from loadproof.repair.disk import RealDisk
from tests.faults.explore import view, visible
from tests.faults.scenarios import SCENARIOS, planned
from tests.repair.tiny import checkpoint, snapshot

OUTER = "edit one text"
CHANGING = ("create", "write", "copy_in", "truncate", "shift", "fsync", "rename", "link", "unlink", "fsync_folder")


class Nested:
    """An outer checkpoint that was repaired once, and the inner one of a scenario; every call is judged."""

    def __init__(self, name: str, work: Path) -> None:
        self.name, self.outer = name, work / "trainer"
        plan = planned(OUTER, self.outer)
        self.unrepaired = snapshot(self.outer)
        apply(plan, readers_stopped=True)
        self.inner = self.outer / "m"
        self.build()
        self.old = snapshot(self.inner)
        self.repair()
        self.new = snapshot(self.inner)
        self.views = [view(visible(side)) for side in (self.old, self.new)]

    def own_files(self) -> dict[str, bytes]:
        """Of the outer checkpoint; "m-donor" belongs to the inner one."""
        return {name: data for name, data in snapshot(self.outer).items() if name.split("/")[0] not in ("m", "m-donor")}

    def build(self) -> None:
        """The inner checkpoint anew, in the same folder: records are bound to it."""
        for path in self.inner.iterdir() if self.inner.exists() else ():
            path.unlink()
        self.plan = planned(self.name, self.inner)

    def repair(self) -> None:
        apply(self.plan, readers_stopped=True)

    def undo(self) -> None:
        undo(str(self.inner))

    def judge(self) -> str:
        """After whatever happened: the outer undo first, which must leave the inner folder alone; then recovery."""
        left = snapshot(self.inner)
        seen = view(visible(left))
        assert seen is None or seen in self.views, (self.name, "a reader takes a mixture for a checkpoint")
        undo(str(self.outer))
        assert snapshot(self.inner) == left, (self.name, "the undo of the outer folder reached into the inner one")
        how = recover(str(self.inner))
        found = snapshot(self.inner)
        assert found in (self.old, self.new), (self.name, how, sorted(found))
        if found == self.new:
            undo(str(self.inner))
            assert snapshot(self.inner) == self.old, (self.name, how, "undo")
        self._repair_outer()
        return f"{how}, {'new' if found == self.new else 'old'}{', closed before' if seen is None else ''}"

    def _repair_outer(self) -> None:
        """Its undo was exact as well; then it has a record again."""
        assert self.own_files() == self.unrepaired, self.name
        apply(plan_edits(checkpoint(self.outer), SCENARIOS[OUTER].edits), readers_stopped=True)


def killed(act: Callable[[], object], after: float) -> bool:
    """Run in a child and kill it after so many seconds; False when it had ended by then."""
    child = os.fork()
    if child == 0:
        try:
            act()
        finally:
            os._exit(0)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def duration(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def campaign(kills: int, names: tuple[str, ...], work: Path, seed: int = 1) -> Counter[str]:
    """Kills dealt out over the scenarios, half of them during a repair, half during an undo. Raises AssertionError."""
    chance, tally = random.Random(seed), Counter[str]()
    cases = [Nested(name, work / f"{i}") for i, name in enumerate(names)]
    for number in range(kills):
        case = cases[number % len(cases)]
        case.build()
        whole = duration(case.repair)
        act = case.undo
        if number // len(cases) % 2 == 0:
            case.build()
            act = case.repair
        hit = killed(act, chance.uniform(0, 1.2 * whole))
        tally[("killed: " if hit else "ended: ") + case.judge()] += 1
    return tally


class Failing:
    """Every disk fails at the call of number `at` that changes something, and at each one after it."""

    def __init__(self, patch: pytest.MonkeyPatch, at: int, number: int) -> None:
        self.count, self.at, self.number = 0, at, number
        made = type("FailingDisk", (RealDisk,), {name: self._failing(name) for name in CHANGING})
        patch.setattr(in_place, "RealDisk", made)

    def _failing(self, name: str) -> Callable[..., object]:
        real = getattr(RealDisk, name)

        def call(disk: RealDisk, *args: object, **kwargs: object) -> object:
            self.count += 1
            if self.count > self.at:
                raise OSError(self.number, os.strerror(self.number))
            return real(disk, *args, **kwargs)

        return call


def failing_disk(name: str, work: Path, share: float, seed: int = 1) -> Counter[str]:
    """A disk that fails from some operation on, for a share of the operations, at repairs and undos."""
    chance, tally = random.Random(seed), Counter[str]()
    case = Nested(name, work)
    for act, prepare in ((case.repair, None), (case.undo, case.repair)):
        for at in _moments(case, act, prepare, share, chance):
            number = chance.choice((errno.EIO, errno.ENOSPC))
            case.build()
            if prepare:
                prepare()
            with pytest.MonkeyPatch.context() as patch:
                Failing(patch, at, number)
                with pytest.raises(RepairError):
                    act()
            tally[case.judge()] += 1
    return tally


def _moments(
    case: Nested, act: Callable[[], object], prepare: Callable[[], object] | None, share: float, chance: random.Random
) -> Iterator[int]:
    case.build()
    if prepare:
        prepare()
    with pytest.MonkeyPatch.context() as patch:
        count = Failing(patch, 1 << 30, errno.EIO)
        act()
    case.build()
    yield from (at for at in range(count.count) if at in (0, count.count - 1) or chance.random() < share)


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as work, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", os.path.join(work, "state"))
        patch.setattr(permission, "is_used_elsewhere", lambda path: False)
        found = campaign(kills, tuple(SCENARIOS), Path(work))
    for what, count in sorted(found.items()):
        print(f"{count:5}  {what}")
    print(f"{kills} kills, 0 mixtures, every one undone to the byte")


if __name__ == "__main__":
    main()
