"""Crash a repair everywhere, look at the folder as a reader would, recover, crash the recovery too."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import random
from collections.abc import Callable, Collection
from typing import NamedTuple

import safetensors

from loadproof.repair.disk import Disk
from loadproof.repair.in_place import apply_on, recover_on, undo_on
from loadproof.repair.plan import Plan
from tests.faults.model import Crash, Files, ModelDisk

SINGLE, INDEX = "model.safetensors", "model.safetensors.index.json"
Action = Callable[[Disk], object]


class Tally(NamedTuple):
    """`accepted`: a reader took a mixture for a checkpoint. `lost`: not old or new after recovery, or litter."""

    points: int
    accepted: int
    lost: int


def view(files: Files) -> object:
    """What a reader would load: configs and the name-to-bytes map; None where it would raise."""
    try:
        texts = {name: json.loads(data) for name, data in files.items() if name.endswith("config.json")}
        if SINGLE in files:
            weights = dict.fromkeys(_tensors(files[SINGLE]), SINGLE)
        else:
            weights = json.loads(files[INDEX])["weight_map"]
        shards = {file: _tensors(files[file]) for file in set(weights.values())}
        return json.dumps(texts, sort_keys=True), sorted((name, shards[file][name]) for name, file in weights.items())
    except (KeyError, ValueError, safetensors.SafetensorError):
        return None


def _tensors(blob: bytes) -> dict[str, object]:
    return {n: (i["dtype"], tuple(i["shape"]), bytes(i["data"])) for n, i in safetensors.deserialize(bytes(blob))}


def visible(files: Files) -> Files:
    return {name: data for name, data in files.items() if not name.startswith(".loadproof")}


def helpers(files: Files) -> set[str]:
    return {name for name in files if name.startswith(".loadproof")}


class Exploration:
    """One action (apply or undo of a plan) between two states of a folder."""

    def __init__(self, before: Files, action: Action, *, cap: int, seed: int = 1) -> None:
        self.before, self.action, self.cap = before, action, cap
        self.chance = random.Random(seed)
        disk = ModelDisk(before)
        action(disk)
        self.after, self.log = disk.files(), disk.log
        self.ends = (self.before, self.after)
        self.views = [view(visible(end)) for end in self.ends]
        self.points = self.accepted = self.lost = 0
        self.problems: list[str] = []
        self.seen: set[bytes] = set()
        self.exhaustive = True  # no state was left out by sampling

    def run(self, *, nested: bool, skip: Collection[int] = ()) -> Tally:
        """Crash before every operation and after the last one. `skip`: the operations that a mutant leaves out."""
        for stop in range(len(self.log) + 1):
            disk = ModelDisk(self.before, stop, skip)
            with contextlib.suppress(Crash):
                self.action(disk)
            for files in disk.states(self.cap, self.chance):
                self._state(files, nested, finished=stop == len(self.log), at=stop)
            self.exhaustive &= not disk.sampled
        return Tally(self.points, self.accepted, self.lost)

    def _state(self, files: Files, nested: bool, *, finished: bool, at: int) -> None:
        self.points += 1
        key = hashlib.sha256(repr((sorted(files.items()), finished)).encode()).digest()
        if key in self.seen:
            return
        self.seen.add(key)
        self._read(files, at)
        if finished and files != self.after:  # it has said that it is done
            self._problem(f"not durable at the end: {sorted(files)}")
            return
        operations = self._recover(files, at)
        if nested and operations:
            self._crash_recovery(files, operations, at)

    def _read(self, files: Files, at: int) -> None:
        seen = view(visible(files))
        if seen is not None and seen not in self.views:
            self.accepted += 1
            self.problems.append(f"reader accepts a mixture at {at}")

    def _recover(self, files: Files, at: int) -> int:
        disk = ModelDisk(files)
        try:
            recover_on(disk)
        except Exception as error:
            self._problem(f"recovery fails at {at}: {error!r}")
            return 0
        recovered = disk.files()
        if recovered not in self.ends:
            self._problem(f"neither old nor new at {at}: {sorted(recovered)}")
            return 0
        for durable in itertools.islice(disk.states(4, self.chance), 8):
            if visible(durable) != visible(recovered):
                self._problem(f"recovery not durable at {at}")
        return len(disk.log)

    def _crash_recovery(self, files: Files, operations: int, at: int) -> None:
        for stop in range(operations):
            disk = ModelDisk(files, stop)
            with contextlib.suppress(Crash):
                recover_on(disk)
            for again in itertools.islice(disk.states(self.cap, self.chance), 8 * self.cap):
                self.points += 1
                self._read(again, at)
                self._recover(again, at)

    def _problem(self, text: str) -> None:
        self.lost += 1
        self.problems.append(text)


def applying(plan: Plan) -> Action:
    return lambda disk: apply_on(disk, plan)


def undoing(disk: Disk) -> object:
    return undo_on(disk)
