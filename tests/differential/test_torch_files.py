"""What is read of torch files equals what ``torch.load(weights_only=True)`` makes of them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from loadproof.formats.faults import Faults
from loadproof.formats.torch.read import read_torch
from loadproof.formats.torch.table import Stored
from loadproof.formats.torch.unpickle import KNOWN
from loadproof.storage.memory import MemoryFile

torch = pytest.importorskip("torch")

from tests.differential.torch_files import FORMS, files  # noqa: E402

pytestmark = pytest.mark.torch


def table_of(value: Any, path: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Any]:
    """The dense tensors of a loaded value, by path."""
    if isinstance(value, torch.Tensor):
        return {path: value}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    return {place: found for key, part in items for place, found in table_of(part, (*path, key)).items()}


def described(stored: Stored) -> tuple[Any, ...]:
    tensor = stored.tensor
    return tensor.dtype, tensor.shape, tensor.stride, tensor.offset, tensor.role == "parameter"


def expected(value: Any) -> tuple[Any, ...]:
    dtype = str(value.dtype).removeprefix("torch.")
    is_parameter = isinstance(value, torch.nn.Parameter)
    return dtype, tuple(value.shape), value.stride(), value.storage_offset(), is_parameter


def assert_equal(content: bytes, form: str) -> int:
    """Compare one file; the number of tensors."""
    faults = Faults()
    found = read_torch(MemoryFile(content), "file", faults)
    assert found.is_read, (form, faults.result())
    assert [p for p in faults.result() if p.severity == "error"] == []
    loaded = table_of(torch.load(io.BytesIO(content), weights_only=True))
    ours = {one.path: one for one in found.stored if len(one.path) == 0 or one.path in loaded}
    assert ours.keys() == loaded.keys()
    storages: dict[int, str] = {}
    for path, value in loaded.items():
        one = ours[path]
        if value.layout != torch.strided:
            assert (one.tensor.kind, one.tensor.shape) == ("sparse", tuple(value.shape))
            continue
        assert described(one) == expected(value), path
        if value.is_meta:
            assert one.tensor.kind == "meta"
            continue
        assert one.tensor.storage is not None
        storage = value.untyped_storage()
        assert content[one.begin : one.end] == bytes(storage.tolist()), path
        if storage.nbytes():
            assert storages.setdefault(storage.data_ptr(), one.tensor.storage.key) == one.tensor.storage.key
    return len(loaded)


@pytest.mark.parametrize("form", FORMS)
def test_names_shapes_types_strides_and_bytes_are_those_that_torch_loads(form: str) -> None:
    tensors = sum(assert_equal(content, form) for kind, content in files(240) if kind == form)
    assert tensors > 300


@pytest.mark.parametrize("form", FORMS)
def test_the_short_cut_gives_the_answer_of_the_plain_opcodes(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import msgspec

    some = [content for kind, content in files(60) if kind == form]
    quick = [read_torch(MemoryFile(content), "file", Faults()).stored for content in some]
    plain = msgspec.structs.replace(KNOWN, entry=None)
    monkeypatch.setattr("loadproof.formats.torch.unpickle.KNOWN", plain)
    slow = [read_torch(MemoryFile(content), "file", Faults()).stored for content in some]
    for left, right in zip(quick, slow, strict=True):
        assert [(a.path, described(a), a.begin, a.end) for a in left] == [
            (b.path, described(b), b.begin, b.end) for b in right
        ]


def test_the_short_cut_is_not_taken_where_a_put_changes_what_a_later_get_takes(tmp_path: Path) -> None:
    """torch refuses a storage whose location was overwritten by its key; so do the plain opcodes."""
    torch.save({f"w{number}": torch.zeros(2, 2) for number in range(2)}, tmp_path / "good.pt")
    with zipfile.ZipFile(tmp_path / "good.pt") as good:
        members = {name: good.read(name) for name in good.namelist()}
    (pickle,) = [name for name in members if name.endswith("data.pkl")]
    data = members[pickle]
    location = data[data.index(b"cpuq") + 4]
    key_put = data.index(b"X\x01\0\0\x001q") + 7
    members[pickle] = data[:key_put] + bytes([location]) + data[key_put + 1 :]
    with zipfile.ZipFile(tmp_path / "bad.pt", "w") as bad:
        for name, content in members.items():
            bad.writestr(name, content)
    with pytest.raises(RuntimeError, match="restore data location"):
        torch.load(tmp_path / "bad.pt", weights_only=True)
    faults = Faults()
    read_torch(MemoryFile((tmp_path / "bad.pt").read_bytes()), "file", faults)
    assert "device" in [problem.detail for problem in faults.result()]
