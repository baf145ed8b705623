"""Every format of the table keeps the protocol: facts and problems, never an exception, on whole and on broken files."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from loadproof.core.checkpoint import Problem, Selection
from loadproof.core.tensors import TensorRecord
from loadproof.formats import checkpoint_at, registry
from loadproof.formats.base import Format, TensorFile, of_records
from loadproof.formats.sniff import HEAD
from loadproof.lexicon import formats as table
from loadproof.lexicon.formats import FORMATS, WeightFormat
from loadproof.storage.base import Ranged
from loadproof.storage.memory import MemoryFile
from tests.formats.tiny import shard
from tests.formats.torch.writing import EIGHT, archive, mapping, pickled, tensor

# One healthy file with a few tensors for every format that is read. Whoever adds a format adds its line here.
EXAMPLES: dict[str, Callable[[], bytes]] = {
    "torch": lambda: archive(
        pickled(mapping(**{"a.weight": tensor(), "b.0.weight": tensor("1"), "b.1.weight": tensor("1")})),
        {"0": EIGHT, "1": EIGHT},
    ),
    "safetensors": lambda: shard({"a.weight": [2, 3], "b.0.weight": [4], "b.1.weight": [4]}),
}
READ = [form for form in FORMATS if form.module]


def test_every_format_that_is_read_has_an_example() -> None:
    assert {form.name for form in READ} == set(EXAMPLES)


def test_no_suffix_is_promised_by_two_formats() -> None:
    suffixes = [suffix for form in FORMATS for suffix in form.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert len({form.name for form in FORMATS}) == len(FORMATS)


def reader(form: WeightFormat) -> Format:
    found = registry.reader_of(form)
    assert found is not None, f"{form.name} names the module {form.module!r}"
    return found


def read(form: WeightFormat, content: bytes) -> TensorFile:
    return reader(form).read(MemoryFile(content), "file" + form.suffixes[0], content[:HEAD])


@pytest.mark.parametrize("form", READ, ids=lambda form: form.name)
def test_it_knows_its_own_files_and_no_others(form: WeightFormat) -> None:
    known = {name for name, make in EXAMPLES.items() if reader(form).sniff(make()[:HEAD])}
    assert known == {form.name}
    assert not any(reader(form).sniff(head) for head in (b"", b"{", b"<html>", b"version https://git-lfs"))


@pytest.mark.parametrize("form", READ, ids=lambda form: form.name)
def test_every_tensor_is_found_with_its_bytes_in_the_file(form: WeightFormat) -> None:
    content = EXAMPLES[form.name]()
    held = read(form, content)
    assert held.names
    assert not [problem for problem in held.problems if problem.severity == "error"]
    records = list(held.locate(held.names))
    assert sorted(record.name for record in records) == sorted(held.names)
    assert sorted(name for names in held.groups.values() for name in names) == sorted(held.names)
    for record in records:
        assert record.parts or 0 <= record.begin <= record.end <= len(content)
    assert not list(held.locate(["no such tensor"]))


@pytest.mark.parametrize("form", READ, ids=lambda form: form.name)
def test_a_broken_file_is_a_problem_and_never_an_exception(form: WeightFormat) -> None:
    content = EXAMPLES[form.name]()
    rng = random.Random(7)
    cuts = {0, 1, 7, 8, 9, len(content) - 1, *(rng.randrange(len(content)) for _ in range(60))}
    for cut in cuts:
        assert read(form, content[:cut]).problems, f"{form.name} cut at {cut}"
    for _ in range(300):
        broken = bytearray(content)
        broken[rng.randrange(len(broken))] = rng.randrange(256)
        held = read(form, bytes(broken))
        assert held.names is not None or held.problems


class Toy(ModuleType):
    """``TOY``, then lines ``name dtype bytes`` of one-dimensional tensors, an empty line, data."""

    @staticmethod
    def sniff(head: bytes) -> bool:
        return head.startswith(b"TOY\n")

    @staticmethod
    def read(opened: Ranged, file: str, head: bytes) -> TensorFile:
        text, _, _ = opened.read(0, opened.size).partition(b"\n\n")
        at, records = len(text) + 2, []
        for line in text.decode().split("\n")[1:]:
            name, size = line.split()
            records.append(TensorRecord(name, "U8", (int(size),), file, at, at + int(size)))
            at += int(size)
        problems = (Problem("LP003", file, "cut", detail="data-cut"),) if at > opened.size else ()
        return of_records(records, problems)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    form = WeightFormat("toy", "toy", (".toy",), "toy")
    monkeypatch.setattr(table, "FORMATS", (*FORMATS, form))
    monkeypatch.setitem(__import__("sys").modules, "loadproof.formats.toy", Toy("toy"))


@pytest.mark.usefixtures("toy")
def test_a_format_of_one_module_and_one_line_is_read_as_a_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "model.toy").write_bytes(b"TOY\na.0.w 3\na.1.w 3\nb 1\n\nxxxyyyz")
    checkpoint = checkpoint_at(str(tmp_path / "model.toy"))
    assert [(info.path, info.kind) for info in checkpoint.inventory.files if info.path == "model.toy"] == [
        ("model.toy", "toy")
    ]
    manifest = checkpoint.manifest(Selection("model.toy", ("model.toy",), "toy"))
    assert (manifest.tensors, manifest.bytes, manifest.problems, manifest.unread) == (3, 7, (), ())
    assert [(family.template, family.axes) for family in manifest.families] == [("a.{}.w", ((0, 1),)), ("b", ())]
    record = checkpoint.records(["model.toy"], {"a.1.w"})["a.1.w"]
    assert checkpoint.payload(record) == b"yyy"


@pytest.mark.usefixtures("toy")
def test_another_file_under_its_name_is_an_impostor(tmp_path: Path) -> None:
    (tmp_path / "model.toy").write_bytes(shard({"a": [2]}))
    checkpoint = checkpoint_at(str(tmp_path / "model.toy"))
    manifest = checkpoint.manifest(Selection("model.toy", ("model.toy",), "toy"))
    assert [(problem.code, problem.found) for problem in manifest.problems] == [("LP002", "a safetensors file")]
    assert manifest.families == ()


def test_a_format_without_a_module_is_named_as_not_read(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"GGUF" + bytes(60))
    checkpoint = checkpoint_at(str(tmp_path / "model.gguf"))
    manifest = checkpoint.manifest(Selection("model.gguf", ("model.gguf",), "gguf"))
    assert [skip.why for skip in manifest.skipped] == ["GGUF files are not read yet"]
    assert manifest.unread == ("model.gguf",)
