"""Streams give the right bytes in bounded memory, report progress, and go on after an interruption."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadproof.core.edits import DropTensors, TransposeTensors
from loadproof.repair import RepairInterruptedError, apply, plan_edits, recover, sources, stream, undo
from loadproof.repair.sources import Columns, Files, Slice, Source, Transposed, Weave, size_of
from tests.repair.tiny import Spec, checkpoint, read_shard, sharded, snapshot, tensor

np = pytest.importorskip("numpy")
A, B = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"


@settings(max_examples=120, deadline=None)
@given(data=st.data(), block=st.integers(1, 90))
def test_transposing_any_dimensions_equals_numpy(
    data: st.DataObject, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=4)))
    dims = tuple(sorted(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=2, max_size=2))))
    item = data.draw(st.sampled_from([1, 2, 4, 8]))
    array = np.arange(np.prod(shape)).astype(f"u{item}").reshape(shape)
    folder = tmp_path_factory.getbasetemp()
    (folder / "data").write_bytes(b"xyz" + array.tobytes())
    source = Transposed(Slice("data", 3, 3 + array.nbytes), shape, (dims[0], dims[1]), item)
    expected = np.swapaxes(array, *dims).tobytes()
    begin = data.draw(st.integers(0, len(expected) - 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK", block)
        files = Files(str(folder))
        assert files.read(source, 0, len(expected)) == expected
        assert files.read(source, begin, len(expected) - begin) == expected[begin:]
        files.close()


@settings(max_examples=120, deadline=None)
@given(rows=st.integers(1, 4), widths=st.lists(st.integers(0, 5), min_size=1, max_size=3), data=st.data())
def test_weaving_and_taking_columns_are_inverse(
    rows: int, widths: list[int], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    blob = os.urandom(rows * sum(widths))
    (folder / "data").write_bytes(blob)
    begins = [rows * sum(widths[:i]) for i in range(len(widths) + 1)]
    parts = tuple(Slice("data", a, b) for a, b in pairwise(begins))
    woven = Weave(parts, rows)
    files = Files(str(folder))
    whole = files.read(woven, 0, size_of(woven))
    expected = b"".join(
        blob[p.begin :][r * w : (r + 1) * w] for r in range(rows) for p, w in zip(parts, widths, strict=True)
    )
    assert whole == expected
    for i, part in enumerate(parts):
        back: Source = Columns(woven, rows, sum(widths[:i]), sum(widths[: i + 1]))
        begin = data.draw(st.integers(0, size_of(back)))
        assert files.read(back, begin, size_of(back) - begin) == blob[part.begin + begin : part.end]
    files.close()


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_a_source_cut_into_plain_slices_has_the_same_bytes(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    (folder / "data").write_bytes(os.urandom(60))
    whole = Slice("data", 0, 60)

    def some(depth: int) -> Source:
        begin = data.draw(st.integers(0, 59))
        cut: Source = Slice("data", begin, data.draw(st.integers(begin, 60)))
        if depth and data.draw(st.booleans()):
            cut = Weave(tuple(some(depth - 1) for _ in range(data.draw(st.integers(1, 3)))))
        if depth and data.draw(st.booleans()):
            first = data.draw(st.integers(0, size_of(cut)))
            cut = Columns(cut, 1, first, data.draw(st.integers(first, size_of(cut))))
        return cut

    files = Files(str(folder))
    for source in (some(3), Columns(Columns(whole, 1, 5, 50), 1, 2, 20)):
        pieces = b"".join(files.read(piece, 0, size_of(piece)) for piece in sources.plain(source))
        assert pieces == files.read(source, 0, size_of(source))
    files.close()


def layer(i: int) -> Spec:
    return {f"layers.{i}.a": tensor("BF16", 40, 6, seed=i), f"layers.{i}.b": tensor("BF16", 40, 6, seed=9 + i)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sharded(tmp_path / "m", {A: layer(0), B: layer(1)})
    return tmp_path / "m"


def test_progress_counts_every_byte_written_and_checked(folder: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    plan = plan_edits(checkpoint(folder), [TransposeTensors("layers.{}.a", ((0, 1),))])
    apply(plan, progress=lambda *call: seen.append(call))
    total = 2 * sum(s.size for s in plan.streams)
    assert [call[0] for call in seen] == sorted(call[0] for call in seen)
    assert seen[-1][:2] == (total, total)
    assert {call[2].split()[0] for call in seen} == {"writing", "checking"}


def interrupt_at(limit: int) -> stream.Progress:
    def progress(done: int, total: int, what: str) -> None:
        if done >= limit:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("limit", [200, 700, 1500, 2500, 3500])
def test_an_interrupted_stream_goes_on_where_it_was(folder: Path, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "DURABLE_EVERY", 100)
    monkeypatch.setattr(stream, "BLOCK", 100)
    before = snapshot(folder)
    plan = plan_edits(checkpoint(folder), [TransposeTensors("layers.{}.a", ((0, 1),))])
    with pytest.raises(KeyboardInterrupt):
        apply(plan, progress=interrupt_at(limit))
    assert {n: d for n, d in snapshot(folder).items() if n in before} == before
    steps: list[int] = []
    apply(plan_edits(checkpoint(folder), plan.edits), progress=lambda done, total, what: steps.append(done))
    assert steps[0] >= min(limit, 900) - 300
    assert read_shard(folder / A)["layers.0.a"][1] == (6, 40)
    undo(str(folder))
    assert snapshot(folder) == before


def test_a_source_that_changed_meanwhile_starts_anew(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "DURABLE_EVERY", 100)
    monkeypatch.setattr(stream, "BLOCK", 100)
    plan = plan_edits(checkpoint(folder), [TransposeTensors("layers.{}.a", ((0, 1),))])
    with pytest.raises(KeyboardInterrupt):
        apply(plan, progress=interrupt_at(700))
    data = bytearray((folder / A).read_bytes())
    data[-1] ^= 1
    (folder / A).write_bytes(data)
    steps: list[int] = []
    apply(plan_edits(checkpoint(folder), plan.edits), progress=lambda done, total, what: steps.append(done))
    assert steps[0] == 0
    assert read_shard(folder / A)["layers.0.b"][2][-1] == data[-1]


def test_giving_up_an_interrupted_stream_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "DURABLE_EVERY", 100)
    monkeypatch.setattr(stream, "BLOCK", 100)
    before = snapshot(folder)
    plan = plan_edits(checkpoint(folder), [TransposeTensors("layers.{}.a", ((0, 1),))])
    with pytest.raises(KeyboardInterrupt):
        apply(plan, progress=interrupt_at(700))
    assert snapshot(folder) != before
    recover(str(folder))
    assert snapshot(folder) == before


def test_bytes_that_do_not_arrive_are_noticed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from loadproof.repair.disk import RealDisk

    before = snapshot(folder)
    honest = RealDisk.copy_in

    def lying(self: RealDisk, name: str, offset: int, source: int, begin: int, length: int) -> int:
        copied = honest(self, name, offset, source, begin, length)
        self.write(name, offset, b"\xff")
        return copied

    monkeypatch.setattr(RealDisk, "copy_in", lying)
    plan = plan_edits(checkpoint(folder), [DropTensors("layers.{}.a", ((0,),))])
    with pytest.raises(RepairInterruptedError, match="did not arrive"):
        apply(plan)
    recover(str(folder))
    assert snapshot(folder) == before
