"""Bytes in memory are read as a file of a folder is, and parsers ask for no more than that."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.formats.header import read_header
from loadproof.storage import open_folder
from loadproof.storage.memory import MemoryFile
from tests.hostile import safetensors_cases

CONTENT = bytes(range(100))


@pytest.mark.parametrize(("begin", "length"), [(0, 0), (0, 100), (90, 20), (100, 1), (200, 5), (3, 4)])
def test_ranges_are_those_of_a_file_on_disk(begin: int, length: int, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(CONTENT)
    with open_folder(str(tmp_path)) as folder, folder.open("f") as opened:
        assert MemoryFile(CONTENT).read(begin, length) == opened.read(begin, length)
        assert MemoryFile(CONTENT).size == opened.size


def test_a_header_in_memory_has_the_faults_of_the_same_file_on_disk(tmp_path: Path) -> None:
    for number, case in enumerate(safetensors_cases.cases()):
        path = case.write(tmp_path / str(number)) / "model.safetensors"
        with open_folder(str(path)) as folder, folder.open(path.name) as opened:
            on_disk = read_header(opened, path.name)
        in_memory = read_header(MemoryFile(path.read_bytes()), path.name)
        assert (in_memory.names, in_memory.problems) == (on_disk.names, on_disk.problems), case.id
