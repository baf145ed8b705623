"""What reading torch files costs: names, shapes and the place of every tensor, without unpickling.

python benchmarks/torch_files.py [--runs 3]

Two inputs: 100,800 tensors in 160 files, and three sparse files of 12.8 GB together, the largest a zip64 of 9.8 GB with a tensor of
4.8 GB. The bars are CPU seconds and peak memory of the whole process, start of Python included; the exit status is 1 when
one is missed.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import struct
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from run import Bar, Cost, measure

Member = tuple[str, bytes | int]  # name, and the content or the size of a hole
READ = """
import sys
from loadproof.formats import torch
from loadproof.storage import open_folder
tensors = 0
with open_folder(sys.argv[1]) as folder:
    for entry in folder.list()[0]:
        with folder.open(entry.name) as opened:
            held = torch.read(opened, entry.name, b"")
            tensors += len(held.names)
            assert not held.problems, held.problems
assert tensors == int(sys.argv[2]), tensors
"""


def name_of(word: str) -> bytes:
    return b"X" + struct.pack("<I", len(word)) + word.encode()


def number(value: int) -> bytes:
    if value < 2**31:
        return b"J" + struct.pack("<i", value)
    return b"\x8a\x08" + value.to_bytes(8, "little", signed=True)


class Pickle:
    """A state dict in the opcodes that torch.save writes, memo included."""

    def __init__(self) -> None:
        self.parts = [b"\x80\x02ccollections\nOrderedDict\nq\x00)Rq\x01("]
        self.memo = 2
        self.known: dict[str, int] = {"ordered": 0}

    def put(self) -> bytes:
        self.memo += 1
        return b"r" + struct.pack("<I", self.memo - 1)

    def recall(self, word: str, opcodes: bytes) -> bytes:
        """The opcodes at first, the memo afterwards."""
        if word in self.known:
            return b"j" + struct.pack("<I", self.known[word])
        self.known[word] = self.memo
        return opcodes + self.put()

    def add(self, name: str, key: int, rows: int, columns: int) -> None:
        count, shape = rows * columns, number(rows) + number(columns) + b"\x86"
        self.parts += [
            *(name_of(name), self.put(), self.recall("rebuild", b"ctorch._utils\n_rebuild_tensor_v2\n"), b"(("),
            *(self.recall("storage", name_of("storage")), self.recall("class", b"ctorch\nBFloat16Storage\n")),
            *(name_of(str(key)), self.put(), self.recall("cpu", name_of("cpu")), number(count), b"t", self.put()),
            *(b"QK\x00", shape, self.put(), number(columns), b"K\x01\x86", self.put(), b"\x89"),
            *(self.recall("ordered", b""), b")R", self.put(), b"t", self.put(), b"R", self.put()),
        ]

    def done(self) -> bytes:
        return b"".join((*self.parts, b"u."))


def write_zip(path: Path, members: Iterable[Member]) -> None:
    """Stored members, zip64 where a number is too wide; holes take no place on the disk."""
    directory = []
    with path.open("wb") as file:
        for name, content in members:
            size, at, raw = content if isinstance(content, int) else len(content), file.tell(), name.encode()
            is_wide = max(size, at) >= 2**32 - 1
            wide = struct.pack("<HHQQ", 1, 16, size, size) if is_wide else b""
            shown = 2**32 - 1 if is_wide else size
            head = struct.pack("<IHHHIIIIHH", 0x04034B50, 45, 0, 0, 0, 0, shown, shown, len(raw), len(wide))
            file.write(head + raw + wide)
            file.write(b"" if isinstance(content, int) else content)
            file.seek(size if isinstance(content, int) else 0, 1)
            extra = struct.pack("<HHQQQ", 1, 24, size, size, at) if is_wide else b""
            entry = struct.pack(
                "<IHHHHIIIIHHHHHII",
                *(0x02014B50, 45, 45, 0, 0, 0, 0, shown, shown, len(raw), len(extra), 0, 0, 0, 0),
                2**32 - 1 if is_wide else at,
            )
            directory.append(entry + raw + extra)
        begin, content = file.tell(), b"".join(directory)
        file.write(content)
        count, end = len(directory), file.tell()
        file.write(struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, len(content), begin))
        file.write(struct.pack("<IIQI", 0x07064B50, 0, end, 1))
        file.write(struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 2**32 - 1, 2**32 - 1, 0))


def write_file(path: Path, tensors: Iterable[tuple[str, int, int]]) -> None:
    pickle, storages = Pickle(), []
    for key, (name, rows, columns) in enumerate(tensors):
        pickle.add(name, key, rows, columns)
        storages.append((f"archive/data/{key}", 2 * rows * columns))
    write_zip(path, [("archive/data.pkl", pickle.done()), *storages, ("archive/version", b"3\n")])


def many(folder: Path) -> int:
    """160 files of 630 tensors."""
    for shard in range(160):
        names = (f"model.layers.{shard // 2}.mlp.experts.{i}.w{shard % 2}.weight" for i in range(630))
        write_file(folder / f"pytorch_model-{shard + 1:05d}-of-00160.bin", ((name, 4, 2) for name in names))
    return 160 * 630


def large(folder: Path) -> int:
    """Three files; one tensor is wider than 32 bits can say."""
    write_file(folder / "a.bin", [(f"a.{i}", 1_000, 10_000) for i in range(75)])
    write_file(folder / "b.bin", [(f"b.{i}", 1_000, 10_000) for i in range(75)])
    write_file(folder / "c.bin", [("c.head", 240_000, 10_000), *((f"c.{i}", 5_000, 10_000) for i in range(50))])
    return 75 + 75 + 51


CASES = {
    "100,800 tensors in 160 files": (many, Bar(1.5, 40.0)),
    "12.8 GB in 3 files, zip64": (large, Bar(0.2, 40.0)),
}


def cost(folder: Path, tensors: int, runs: int) -> Cost:
    command = [sys.executable, "-c", READ, str(folder), str(tensors)]
    found = [measure(command, str(folder)) for _ in range(runs)]
    if any(one.status for one in found):
        raise SystemExit("a file was not read as it was written")
    return Cost(statistics.median(c.cpu for c in found), statistics.median(c.memory for c in found), 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    runs, met = parser.parse_args().runs, True
    print("| torch files | CPU s | bar | peak MB | bar |\n|---|---|---|---|---|")
    for title, (make, bar) in CASES.items():
        folder = Path(tempfile.mkdtemp(prefix="loadproof-torch-"))
        try:
            found = cost(folder, make(folder), runs)
        finally:
            shutil.rmtree(folder)
        met &= found.cpu <= bar.cpu and found.memory <= bar.memory
        print(f"| {title} | {found.cpu:.2f} | {bar.cpu:.2f} | {found.memory:.0f} | {bar.memory:.0f} |", flush=True)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
