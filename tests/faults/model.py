"""A folder in memory that can lose power.

After a crash every 512-byte sector that was written but not fsynced may or may not be on disk, so may a change of
length, and any subset of the folder operations that no folder fsync has made durable may have happened.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Collection, Iterator, Mapping

from loadproof.records import Place, Seal

SECTOR = 512
HERE = Place(1, 2, 3, "/model")  # a folder keeps its identity when the power goes
Files = dict[str, bytes]


class Crash(BaseException):
    """The power goes; no handler may see it."""


class ModelDisk:
    """`Disk` over a dict of files. `durable` is what survives for certain, `live` what a running process sees."""

    def __init__(self, files: Mapping[str, bytes], stop_at: int | None = None, skip: Collection[int] = ()) -> None:
        self.objects = {name: name for name in files}
        self.live = {name: bytearray(data) for name, data in files.items()}
        self.durable = {name: bytes(data) for name, data in files.items()}
        self.durable_names = dict(self.objects)
        self.pending: list[tuple[str, str, str]] = []
        self.log: list[str] = []  # every operation that changes something
        self.stop_at, self.skip, self.made = stop_at, skip, 0
        self.shifts: dict[str, int] = {}  # not yet durable: the file system's journal has them, or has not
        self.seal = Seal(HERE, b"k" * 32, 1000)  # the key lies on another disk
        self.sampled = False  # set when `states` left some out

    def _happens(self, what: str) -> bool:
        if len(self.log) == self.stop_at:
            raise Crash
        self.log.append(what)
        return len(self.log) - 1 not in self.skip

    # ------------------------------------------------------------ reading
    def exists(self, name: str) -> bool:
        return name in self.objects

    def size(self, name: str) -> int:
        return len(self._content(name))

    def same(self, one: str, other: str) -> bool:
        return self.objects[one] == self.objects[other]

    def is_file(self, name: str) -> bool:
        return self.exists(name)

    def names(self, folder: str) -> list[str]:
        return [name for name in self.objects if "/" not in name]

    def read(self, name: str, offset: int, length: int) -> bytes:
        return bytes(self._content(name)[offset : offset + length])

    def drop_cache(self, name: str) -> None:
        pass

    def _content(self, name: str) -> bytearray:
        if name not in self.objects:
            raise FileNotFoundError(name)
        return self.live[self.objects[name]]

    # ------------------------------------------------------------ writing
    def create(self, name: str, like: str | None = None) -> None:
        if self._happens(f"create {name}"):
            if name in self.objects:
                raise FileExistsError(name)
            self.made += 1
            made = f"{name}#{self.made}"
            self.objects[name], self.live[made], self.durable[made] = made, bytearray(), b""
            self.pending.append(("link", name, made))

    def write(self, name: str, offset: int, data: bytes) -> None:
        if self._happens(f"write {name} {offset} {len(data)}"):
            content = self._content(name)
            content.extend(bytes(max(0, offset + len(data) - len(content))))
            content[offset : offset + len(data)] = data

    def copy_in(self, name: str, offset: int, source: int, begin: int, length: int) -> int:
        data = os.pread(source, length, begin)
        self.write(name, offset, data)
        return len(data)

    def truncate(self, name: str, size: int) -> None:
        if self._happens(f"truncate {name} {size}"):
            content = self._content(name)
            content.extend(bytes(max(0, size - len(content))))
            del content[size:]

    def shift(self, name: str, room: int) -> None:
        if self._happens(f"shift {name} {room}"):
            content = self._content(name)
            content[:] = shifted(content, room)
            self.shifts[self.objects[name]] = room

    def fsync(self, name: str) -> None:
        if self._happens(f"fsync {name}"):
            self.shifts.pop(self.objects[name], None)
            self.durable[self.objects[name]] = bytes(self._content(name))

    def rename(self, old: str, new: str) -> None:
        if self._happens(f"rename {old} {new}"):
            if self.objects[old] == self.objects.get(new):
                return  # POSIX
            self.objects[new] = self.objects.pop(old)
            self.pending.append(("move " + old, new, self.objects[new]))

    def link(self, old: str, new: str) -> None:
        if self._happens(f"link {old} {new}"):
            if new in self.objects:
                raise FileExistsError(new)
            self.objects[new] = self.objects[old]
            self.pending.append(("link", new, self.objects[new]))

    def unlink(self, name: str) -> None:
        if self._happens(f"unlink {name}"):
            del self.objects[name]
            self.pending.append(("remove", name, ""))

    def clear(self, name: str) -> None:
        if self.exists(name):
            self.unlink(name)

    def fsync_folder(self, name: str) -> None:
        if self._happens(f"fsync_folder {name}"):
            self.durable_names, self.pending = dict(self.objects), []

    # ------------------------------------------------------------ losing power
    def files(self) -> Files:
        return {name: bytes(self.live[made]) for name, made in self.objects.items()}

    def states(self, cap: int, chance: random.Random) -> Iterator[Files]:
        """Every folder content possible after losing power now; beyond `cap` per set of names, a sample."""
        for chosen in itertools.product((False, True), repeat=len(self.pending)):
            names = dict(self.durable_names)
            for operation in itertools.compress(self.pending, chosen):
                _apply(names, *operation)
            units = [(made, unit) for made in sorted(set(names.values())) for unit in self._units(made)]
            self.sampled |= 2 ** len(units) > cap
            for bits in choices(len(units), cap, chance):
                written: dict[str, list[int]] = {}
                for made, unit in itertools.compress(units, bits):
                    written.setdefault(made, []).append(unit)
                yield {name: self._content_with(made, written.get(made, [])) for name, made in names.items()}

    def _units(self, made: str) -> list[int]:
        """Offsets of the sectors that differ; -1 for a shortened length, -2 for blocks inserted or taken out."""
        new, old = self.live[made], self.durable[made]
        if made in self.shifts:
            moved = shifted(old, self.shifts[made])
            return [at for at in range(0, len(new), SECTOR) if new[at : at + SECTOR] != moved[at : at + SECTOR]] + [-2]
        common = min(len(new), len(old))
        differing = [
            at
            for at in range(0, len(new), SECTOR)
            if new[at : at + SECTOR] != old[at : at + SECTOR][: max(0, common - at) or None]
            or at + SECTOR > len(old) < len(new)
        ]
        return differing + ([-1] if len(new) < len(old) else [])

    def _content_with(self, made: str, units: Collection[int]) -> bytes:
        new, content = self.live[made], bytearray(self.durable[made])
        room = self.shifts.get(made, 0)
        if room and -2 in units:
            content, room = bytearray(shifted(content, room)), 0
        if room:  # blocks written under the new layout, seen through the old one
            moved = {at - room: new[at : at + SECTOR] for at in units if 0 <= at - room < len(content)}
            for at, data in moved.items():
                content[at : at + len(data)] = data
            return bytes(content[: len(self.durable[made])])
        for at in units:
            if at == -1:
                del content[len(new) :]
            if at < 0:
                continue
            end = min(at + SECTOR, len(new))
            content.extend(bytes(max(0, end - len(content))))
            content[at:end] = new[at:end]
        return bytes(content)


def shifted(content: bytes | bytearray, room: int) -> bytes:
    return bytes(room) + bytes(content) if room > 0 else bytes(content[-room:])


def _apply(names: dict[str, str], kind: str, name: str, made: str) -> None:
    if kind == "remove":
        names.pop(name, None)
        return
    if kind.startswith("move "):
        names.pop(kind.removeprefix("move "), None)
    names[name] = made


def choices(total: int, cap: int, chance: random.Random) -> Iterator[tuple[bool, ...]]:
    """All subsets, or prefixes, suffixes, single ones, all but one, and `cap` random ones."""
    if 2**total <= cap:
        yield from itertools.product((False, True), repeat=total)
        return
    yield (False,) * total
    yield (True,) * total
    for i in range(total):
        yield tuple(j < i for j in range(total))
        yield tuple(j >= i for j in range(total))
        yield tuple(j == i for j in range(total))
        yield tuple(j != i for j in range(total))
    for _ in range(cap):
        yield tuple(chance.random() < 0.5 for _ in range(total))
