"""A record counts only if this user made it for this folder; what only looks like one does no harm."""

from __future__ import annotations

import os
import shutil
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from loadproof.api import check
from loadproof.core.case import Report
from loadproof.core.edits import DropTensors, SetJson
from loadproof.records import look
from loadproof.records.key import key_path, load_key, state_folder
from loadproof.repair import ForeignRecordsError, RepairError, apply, forget, plan_edits, recover, undo
from loadproof.repair.disk import RealDisk
from loadproof.repair.journal import JOURNAL, MAGIC, Record, undo_name, write_record
from loadproof.repair.steps import Cut, Grow, Move, Patch, Rewrite, Step, Swap
from tests.repair.tiny import checkpoint, sharded, snapshot, tensor

CONFIG = "config.json"
SHARD = "model-00001-of-00001.safetensors"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sharded(tmp_path / "m", {SHARD: {"a": tensor("U8", 9), "b": tensor("U8", 9, seed=1)}})
    return tmp_path / "m"


@pytest.fixture
def other_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From then on the user is another one, as far as keys go."""
    return lambda: monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other-state"))


def repair(folder: Path, value: int = 7) -> None:
    apply(plan_edits(checkpoint(folder), [SetJson(CONFIG, ("vocab_size",), value)]))


def unsigned(record: Record) -> bytes:
    """As loadproof 0.1.0 wrote it, and as anybody can."""
    body = zlib.compress(msgspec.msgpack.encode(record), 1)
    return struct.pack("<8sIQ", MAGIC, zlib.crc32(body), len(body)) + body


def findings(folder: Path) -> list[tuple[str, str]]:
    report: Report = check(str(folder), use_cache=False)
    return [(finding.severity, finding.headline) for finding in report.findings if finding.code == "LP018"]


def rewriting(folder: Path) -> Record:
    """A record whose undoing replaces config.json."""
    return Record("t", 1, (Rewrite(CONFIG, b'{"mine": 1}', (folder / CONFIG).read_bytes()),))


# ---------------------------------------------------------------- whose they are
def test_ones_own_record_is_no_finding_and_is_undone(folder: Path) -> None:
    before = snapshot(folder)
    repair(folder)
    assert findings(folder) == []
    undo(str(folder))
    assert snapshot(folder) == before


@pytest.mark.parametrize("name", [JOURNAL, undo_name(1), undo_name(3)])
def test_an_unsigned_record_is_an_error_and_stops_fix_and_undo(folder: Path, name: str) -> None:
    record = msgspec.structs.replace(rewriting(folder), number=int(name[-1]) if name[-1].isdigit() else 1)
    (folder / name).write_bytes(unsigned(record))
    before = snapshot(folder)
    assert [severity for severity, text in findings(folder) if name in text] == ["error"]
    plan = plan_edits(checkpoint(folder), [SetJson(CONFIG, ("vocab_size",), 7)])
    for act in (undo, recover, forget, lambda _: apply(plan)):
        with pytest.raises(ForeignRecordsError, match=name) as caught:
            act(str(folder))
        assert "--adopt-records" in str(caught.value)
        assert caught.value.records[0].steps == (f"replace the text of {CONFIG} (11 bytes)",)
    assert snapshot(folder) == before


def test_a_record_of_another_user_is_foreign(folder: Path, other_key: Callable[[], None]) -> None:
    repair(folder)
    before = snapshot(folder)
    other_key()
    assert [severity for severity, _ in findings(folder)] == ["error"]
    with pytest.raises(ForeignRecordsError, match="not signed with your key"):
        undo(str(folder))
    assert snapshot(folder) == before


def test_a_lost_key_makes_ones_own_records_foreign_and_adoptable(folder: Path) -> None:
    before = snapshot(folder)
    repair(folder)
    os.unlink(key_path())
    with pytest.raises(ForeignRecordsError):
        undo(str(folder))
    undo(str(folder), adopt_records=True)
    assert snapshot(folder) == before


def test_a_copied_folder_is_told_from_a_strangers(folder: Path, tmp_path: Path) -> None:
    before = snapshot(folder)
    repair(folder)
    shutil.copytree(folder, tmp_path / "copy")
    assert [severity for severity, _ in findings(tmp_path / "copy")] == ["warning"]
    with pytest.raises(ForeignRecordsError, match=f"you made it for {folder}"):
        undo(str(tmp_path / "copy"))
    undo(str(tmp_path / "copy"), adopt_records=True)
    assert snapshot(tmp_path / "copy") == before


def test_a_renamed_folder_keeps_its_records(folder: Path, tmp_path: Path) -> None:
    before = snapshot(folder)
    repair(folder)
    folder.rename(tmp_path / "elsewhere")
    assert findings(tmp_path / "elsewhere") == []
    undo(str(tmp_path / "elsewhere"))
    assert snapshot(tmp_path / "elsewhere") == before


def test_a_record_under_another_number_does_not_count(folder: Path) -> None:
    repair(folder)
    (folder / undo_name(1)).rename(folder / undo_name(2))
    before = snapshot(folder)
    with pytest.raises(RepairError, match="it says that it is number 1"):
        undo(str(folder))
    assert snapshot(folder) == before


@pytest.mark.parametrize("at", [0, 9, 40, -40, -1])
def test_a_changed_byte_makes_a_record_count_no_more(folder: Path, at: int) -> None:
    repair(folder)
    blob = bytearray((folder / undo_name(1)).read_bytes())
    blob[at] ^= 1
    (folder / undo_name(1)).write_bytes(blob)
    before = snapshot(folder)
    with pytest.raises(ForeignRecordsError):
        undo(str(folder))
    assert snapshot(folder) == before
    assert findings(folder)[0][0] == "error"


# ---------------------------------------------------------------- taking over
def test_a_record_of_another_user_is_taken_over_on_request(folder: Path, other_key: Callable[[], None]) -> None:
    before = snapshot(folder)
    apply(plan_edits(checkpoint(folder), [DropTensors("b", ())]))
    other_key()
    undo(str(folder), adopt_records=True)
    assert snapshot(folder) == before


def test_an_unsigned_record_is_taken_over_on_request(folder: Path) -> None:
    (folder / undo_name(1)).write_bytes(unsigned(rewriting(folder)))
    undo(str(folder), adopt_records=True)
    assert (folder / CONFIG).read_bytes() == b'{"mine": 1}'
    assert not (folder / undo_name(1)).exists()


FORBIDDEN: list[Step] = [
    Rewrite(".git/config", b"x", b"y"),
    Rewrite("modeling_x.py", None, b"y"),
    Rewrite("README.md", None, b"y"),
    Rewrite(".hidden.json", None, b"y"),
    Rewrite("../outside.json", None, b"y"),
    Rewrite("sub/.git/x.json", None, b"y"),
    Rewrite(SHARD, None, b"y"),
    Move("tool.sh", ".git/hooks/post-checkout"),
    Move("tool.json", ".git/hooks/post-checkout"),
    Move(SHARD, "other.safetensors"),
    Move("tool.sh", "tool.sh.set-aside"),
    Move(".loadproof-tool.sh.fresh1", "tool.sh"),
    Cut("notes.txt", 0, b"x"),
    Patch("notes.txt", (9,), b"{}", b"{ "),
    Swap(SHARD, "tool.sh", ".loadproof-x"),
    Swap(SHARD, f".loadproof-{SHARD}.fresh2", f".loadproof-{SHARD}.kept2"),
    Swap(SHARD, f".loadproof-{SHARD}.fresh1", f".loadproof-{SHARD}.fresh1"),
    Patch(SHARD, (), b"{}", b"{ "),
    Patch(SHARD, (-5,), b"{}", b"{ "),
    Patch(SHARD, (99,), b"{}", b"{  "),
    Grow(SHARD, -1, b"x" * 9, b"y" * 10),
    Cut(SHARD, -9, b"x"),
]


@pytest.mark.parametrize("step", FORBIDDEN, ids=repr)
@pytest.mark.parametrize("name", [JOURNAL, undo_name(1)])
def test_no_record_acts_on_what_a_repair_does_not_touch(folder: Path, name: str, step: Step) -> None:
    """Whoever made it: a stranger, even when it is to be taken over, or this user's own key."""
    for file in ("tool.sh", "notes.txt", "tool.json"):
        (folder / file).write_bytes(b"x" * 8)
    (folder / ".git" / "hooks").mkdir(parents=True)
    (folder / ".git" / "config").write_bytes(b"x")
    record = Record("t", 1, (step,))
    (folder / name).write_bytes(unsigned(record))
    before = snapshot(folder)
    for adopt_records in (False, True):
        with pytest.raises(RepairError, match=r"it names|it holds|cannot be taken over"):
            undo(str(folder), adopt_records=adopt_records)
    assert snapshot(folder) == before
    with RealDisk(str(folder)) as disk:
        write_record(disk, name, record)
    before = snapshot(folder)
    with pytest.raises(RepairError, match=r"it names|it holds"):
        undo(str(folder))
    assert snapshot(folder) == before


@pytest.mark.parametrize("number", [0, -1, 10**9, 10**18])
def test_a_journal_has_a_number_that_a_repair_gives(folder: Path, number: int) -> None:
    step = Rewrite(CONFIG, b"x", (folder / CONFIG).read_bytes())
    for record in (Record("t", number, (step,)), Record("t", 1, (step,), undoes=number or -1)):
        (folder / JOURNAL).write_bytes(unsigned(record))
        before = snapshot(folder)
        with pytest.raises(RepairError, match="no number"):
            undo(str(folder), adopt_records=True)
        assert snapshot(folder) == before


def test_a_strangers_record_is_not_inflated_without_end(folder: Path) -> None:
    body = zlib.compress(os.urandom(1 << 20) + bytes(80 << 20))
    blob = struct.pack("<8sIQ", MAGIC, zlib.crc32(body), len(body)) + body
    (folder / undo_name(1)).write_bytes(blob)
    with pytest.raises(RepairError, match="inflates to more than"):
        undo(str(folder), adopt_records=True)


def test_a_record_taken_over_is_held_to_the_files(folder: Path) -> None:
    record = Record("t", 1, (Rewrite(CONFIG, b"theirs", b"not what lies there"),))
    (folder / undo_name(1)).write_bytes(unsigned(record))
    config = (folder / CONFIG).read_bytes()
    with pytest.raises(RepairError, match="changed since"):
        undo(str(folder), adopt_records=True)
    assert (folder / CONFIG).read_bytes() == config


def test_undo_refuses_a_link_in_the_place_of_a_file(folder: Path, tmp_path: Path) -> None:
    repair(folder)
    (folder / CONFIG).rename(tmp_path / "mine.json")
    (folder / CONFIG).symlink_to(tmp_path / "mine.json")
    before = (tmp_path / "mine.json").read_bytes()
    with pytest.raises(RepairError, match="symbolic link"):
        undo(str(folder))
    assert (tmp_path / "mine.json").read_bytes() == before


def test_undo_refuses_to_lose_what_was_written_since(folder: Path) -> None:
    apply(plan_edits(checkpoint(folder), [DropTensors("b", ())]))
    changed = (folder / SHARD).read_bytes()[:-1] + b"!"
    (folder / SHARD).write_bytes(changed)
    with pytest.raises(RepairError, match="changed since"):
        undo(str(folder))
    assert (folder / SHARD).read_bytes() == changed


# ---------------------------------------------------------------- what only looks like a record
def bomb() -> bytes:
    deflate = zlib.compressobj(9)
    body = b"".join(deflate.compress(bytes(1 << 20)) for _ in range(300)) + deflate.flush()
    return struct.pack("<8sIQ", MAGIC, zlib.crc32(body), len(body)) + body


def huge(path: Path) -> None:
    path.write_bytes(MAGIC)
    os.truncate(path, (1 << 30) + 1)


STRAYS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "leading zeros": (".loadproof-undo-007", lambda path: path.write_bytes(b"x")),
    "220 digits": (".loadproof-undo-" + "9" * 220, lambda path: path.write_bytes(b"x")),
    "no number": (".loadproof-undo-latest", lambda path: path.write_bytes(b"x")),
    "other digits": (".loadproof-undo-٣", lambda path: path.write_bytes(b"x")),
    "zero": (".loadproof-undo-0", lambda path: path.write_bytes(b"x")),
    "a folder": (".loadproof-undo-2", lambda path: (path.mkdir(), (path / "mine").write_bytes(b"x"))),
    "a journal that is a folder": (JOURNAL, lambda path: (path.mkdir(), (path / "mine").write_bytes(b"x"))),
    "the place of the journal's draft": (JOURNAL + ".tmp", lambda path: (path.mkdir(), (path / "a").write_bytes(b""))),
    "a link": (".loadproof-undo-2", lambda path: path.symlink_to(".loadproof-undo-1")),
    "a dangling link": (".loadproof-undo-2", lambda path: path.symlink_to("nowhere")),
    "a journal that is a link": (JOURNAL, lambda path: path.symlink_to(".loadproof-undo-1")),
    "a FIFO": (".loadproof-undo-2", lambda path: os.mkfifo(path)),
    "a journal that is a FIFO": (JOURNAL, lambda path: os.mkfifo(path)),
    "a bomb": (".loadproof-undo-2", lambda path: path.write_bytes(bomb())),
    "a huge file": (".loadproof-undo-2", huge),
    "the name of a temporary file": (".loadproof-config.json.tmp", lambda path: path.mkdir()),
    "a temporary FIFO": (".loadproof-config.json.tmp", lambda path: os.mkfifo(path)),
    "a prepared file": (f".loadproof-{SHARD}.fresh1", lambda path: path.mkdir()),
    "a resume record": (
        ".loadproof-resume",
        lambda path: path.write_bytes(b'{"fingerprint":"x","names":["config.json"]}'),
    ),
    "a resume folder": (".loadproof-resume", lambda path: path.mkdir()),
    "a sweep": (".loadproof-sweep", lambda path: path.write_bytes(unsigned(Record("t", 1, ())))),
    "a sweeping folder": (".loadproof-sweep", lambda path: path.mkdir()),
}


@pytest.mark.parametrize("stray", STRAYS)
def test_what_only_looks_like_a_record_does_not_keep_one_from_an_undo(folder: Path, stray: str) -> None:
    name, plant = STRAYS[stray]
    before = snapshot(folder)
    apply(plan_edits(checkpoint(folder), [SetJson(CONFIG, ("vocab_size",), 7), DropTensors("b", ())]))
    plant(folder / name)
    planted = name.startswith(".loadproof-undo-") or name == JOURNAL
    assert [severity for severity, _ in findings(folder)] == ["warning"] * planted
    done = undo(str(folder))
    assert {
        file: data for file, data in snapshot_of_files(folder).items() if not file.startswith(".loadproof")
    } == before
    assert len(done.ignored) == (name.startswith(".loadproof-undo-"))


@pytest.mark.parametrize("stray", STRAYS)
def test_what_only_looks_like_a_record_does_not_keep_one_from_a_repair(folder: Path, stray: str) -> None:
    name, plant = STRAYS[stray]
    before = snapshot(folder)
    plant(folder / name)
    edits = [SetJson(CONFIG, ("vocab_size",), 7), DropTensors("b", ())]
    apply(plan_edits(checkpoint(folder), edits))
    undo(str(folder))
    assert {
        file: data for file, data in snapshot_of_files(folder).items() if not file.startswith(".loadproof")
    } == before
    kept = [where for where, _, files in os.walk(folder) for file in files if file == "mine"]
    assert len(kept) == ("folder" in stray and name.startswith((".loadproof-undo", JOURNAL)))


def snapshot_of_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and not path.is_symlink()}


def test_a_number_is_not_given_out_twice(folder: Path) -> None:
    """The user deleted an undo record by hand: the old file that it kept is not overwritten, nor taken for another."""
    apply(plan_edits(checkpoint(folder), [DropTensors("b", ())]))
    (folder / undo_name(1)).unlink()
    kept = (folder / f".loadproof-{SHARD}.kept1").read_bytes()
    middle = snapshot(folder)
    sharded(folder, {SHARD: {"a": tensor("U8", 9), "b": tensor("U8", 9, seed=5)}})
    before = snapshot(folder)
    apply(plan_edits(checkpoint(folder), [DropTensors("b", ())]))
    assert (folder / undo_name(2)).exists()
    undo(str(folder))
    assert snapshot(folder) == before
    assert (folder / f".loadproof-{SHARD}.kept1").read_bytes() == kept
    assert middle != before


# ---------------------------------------------------------------- the key
def test_the_key_is_made_once_for_the_user_alone(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "deep" / "state"))
    assert load_key() is None
    look(str(folder))
    assert load_key() is None  # looking makes none
    repair(folder)
    key = load_key()
    assert key is not None
    assert len(key) == 32
    assert os.stat(key_path()).st_mode & 0o777 == 0o600
    assert os.stat(state_folder()).st_mode & 0o777 == 0o700
    assert os.listdir(state_folder()) == ["record-key"]
    repair(folder, 8)
    assert load_key() == key


def test_a_relative_state_folder_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert state_folder() == str(tmp_path / ".local" / "state" / "loadproof")


def _readable(path: Path) -> None:
    path.chmod(0o644)


def _short(path: Path) -> None:
    path.write_bytes(b"short")


def _linked(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("spoil", [_readable, _short, _linked, _folder, _fifo])
def test_a_key_that_proves_nothing_stops_repairs_and_undos(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], None]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    repair(folder)
    spoil(Path(key_path()))
    before = snapshot(folder)
    plan = plan_edits(checkpoint(folder), [SetJson(CONFIG, ("vocab_size",), 8)])
    for act in (undo, lambda _: apply(plan)):
        with pytest.raises(RepairError, match="the key of your records"):
            act(str(folder))
    assert snapshot(folder) == before
    assert findings(folder)[0][0] == "error"


def test_without_a_place_for_the_key_nothing_is_repaired(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    before = snapshot(folder)
    plan = plan_edits(checkpoint(folder), [SetJson(CONFIG, ("vocab_size",), 8), DropTensors("b", ())])
    with pytest.raises(RepairError, match="XDG_STATE_HOME"):
        apply(plan)
    assert snapshot(folder) == before


def test_no_key_is_kept_where_others_may_write(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state" / "loadproof").mkdir(parents=True)
    (tmp_path / "state" / "loadproof").chmod(0o777)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with pytest.raises(RepairError, match="open to others"):
        repair(folder)
