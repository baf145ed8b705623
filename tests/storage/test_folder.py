"""A folder gives out the bytes of its own regular files and of nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loadproof.storage import UnreadableError, open_folder, why_unsafe


def refusal(root: Path, name: str) -> str:
    with open_folder(str(root)) as folder, pytest.raises(UnreadableError) as caught:
        folder.open(name).__exit__()
    return caught.value.kind


def test_reads_ranges_and_stops_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    with open_folder(str(tmp_path)) as folder:
        assert folder.read("a", 2, 3) == b"234"
        assert folder.read("a", 8, 100) == b"89"
        assert folder.read("a", 50, 10) == b""
        assert folder.list() == (["a"], True)


def test_a_single_file_opens_the_folder_around_it(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(b"x")
    with open_folder(str(tmp_path / "a.safetensors")) as folder:
        assert (folder.single_file, folder.root) == ("a.safetensors", os.path.realpath(tmp_path))


def test_a_location_that_is_not_there_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_folder(str(tmp_path / "absent"))


def test_a_location_that_is_a_fifo_raises_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NotADirectoryError):
        open_folder(str(tmp_path / "pipe"))


def test_a_linked_location_is_followed_because_the_user_named_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_bytes(b"x")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").symlink_to("real/a")
    with open_folder(str(tmp_path / "link")) as folder:
        assert folder.read("a", 0, 1) == b"x"
    with open_folder(str(tmp_path / "file")) as folder:
        assert folder.single_file == "a"


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (os.mkfifo, "fifo"),
        (os.mkdir, "folder"),
        (lambda path: os.symlink("/dev/zero", path), "link-outside"),
        (lambda path: os.symlink("/etc/hostname", path), "link-outside"),
        (lambda path: os.symlink("../outside", path), "link-outside"),
        (lambda path: os.symlink("sub/../../outside", path), "link-outside"),
        (lambda path: os.symlink("x", path), "link-loop"),
        (lambda path: os.symlink("gone", path), "dangling-link"),
        (lambda path: os.symlink("pipe", path), "fifo"),
        (lambda path: None, "absent"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_anything_but_a_regular_file_inside_is_refused(tmp_path: Path, make: Callable[[str], None], kind: str) -> None:
    (tmp_path / "outside").write_bytes(b"secret")
    root = tmp_path / "root"
    root.mkdir()
    os.mkfifo(root / "pipe")
    make(str(root / "x"))
    assert refusal(root, "x") == kind


def test_a_link_to_a_file_inside_is_followed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "real").write_bytes(b"x")
    (tmp_path / "a").symlink_to("sub/real")
    with open_folder(str(tmp_path)) as folder:
        assert folder.read("a", 0, 1) == b"x"
        assert folder.read("sub/real", 0, 1) == b"x"


def test_a_linked_folder_on_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "x").write_bytes(b"x")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "sub").symlink_to("../away")
    assert refusal(tmp_path / "root", "sub/x") == "link-outside"


def make_cache(tmp_path: Path, repository: str = "models--o--m", target: str = "../../blobs/abc") -> Path:
    base = tmp_path / repository
    (base / "blobs").mkdir(parents=True)
    (base / "blobs" / "abc").write_bytes(b"blob")
    snapshot = base / "snapshots" / "r1"
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").symlink_to(target)
    return snapshot


def test_the_hub_cache_shape_is_followed(tmp_path: Path) -> None:
    snapshot = make_cache(tmp_path)
    with open_folder(str(snapshot)) as folder:
        assert folder.read("model.safetensors", 0, 4) == b"blob"
    with open_folder(str(snapshot / "model.safetensors")) as folder:
        assert folder.single_file == "model.safetensors"


@pytest.mark.parametrize(
    ("repository", "target"),
    [
        ("o--m", "../../blobs/abc"),
        ("models--o--m", "../../blobs/../blobs/abc"),
        ("models--o--m", "../../../x/blobs/abc"),
    ],
)
def test_what_only_looks_like_the_hub_cache_is_refused(tmp_path: Path, repository: str, target: str) -> None:
    assert refusal(make_cache(tmp_path, repository, target), "model.safetensors") == "link-outside"


def test_a_blob_that_is_itself_a_link_is_refused(tmp_path: Path) -> None:
    snapshot = make_cache(tmp_path)
    blob = tmp_path / "models--o--m" / "blobs" / "abc"
    blob.unlink()
    blob.symlink_to("/etc/hostname")
    assert refusal(snapshot, "model.safetensors") == "link-loop"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "a").chmod(0)
    assert refusal(tmp_path, "a") == "permission"


def test_a_change_while_reading_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"0123456789")
    with open_folder(str(tmp_path)) as folder, folder.open("a") as opened:
        assert not opened.changed()
        os.truncate(path, 4)
        assert opened.changed()
        assert opened.read(0, 10) == b"0123"


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "sub" / "sub").mkdir(parents=True)
    (tmp_path / "sub" / "sub" / "a").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    before = os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else []
    for _ in range(5):
        with open_folder(str(tmp_path)) as folder:
            folder.read("sub/sub/a", 0, 1)
            for name in ("pipe", "sub", "gone", "sub/gone/x", "../x"):
                with pytest.raises(UnreadableError):
                    folder.open(name)
    assert not before or len(os.listdir("/proc/self/fd")) == len(before)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.safetensors", None), ("sub/a.safetensors", None), ("a..b", None), ("", "empty-path"), (".", "empty-path"),
        ("..", "parent-folder"), ("a/../../b", "parent-folder"), ("/a", "absolute-path"), ("a\\b", "windows-path"),
        ("C:x", "windows-path"), ("http://h/x", "url"), ("a//b", "odd-path"), ("./a", "odd-path"), ("a\0b", "nul-byte"),
        ("\udcff", "lone-surrogate"), ("x" * 256, "too-long"), ("é" * 128, "too-long"), ("x" * 255, None),
    ],
)  # fmt: skip
def test_only_plain_relative_paths_are_safe(path: str, kind: str | None) -> None:
    assert why_unsafe(path) == kind
