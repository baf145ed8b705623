"""A folder gives out the bytes of its own regular files and of nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loadproof.storage import Entry, Folder, UnreadableError, open_folder, plain, why_unsafe


def refusal(root: Path, name: str, *, follow_links: bool = True) -> str:
    with open_folder(str(root), follow_links=follow_links) as folder, pytest.raises(UnreadableError) as caught:
        folder.open(name).__exit__()
    return caught.value.kind


def read(folder: Folder, name: str, begin: int, length: int) -> bytes:
    with folder.open(name) as opened:
        return opened.read(begin, length)


def test_reads_ranges_and_stops_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"0123456789")
    with open_folder(str(tmp_path)) as folder:
        assert read(folder, "a", 2, 3) == b"234"
        assert read(folder, "a", 8, 100) == b"89"
        assert read(folder, "a", 50, 10) == b""
        assert folder.list() == ((Entry("a", size=10),), True)


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
        assert read(folder, "a", 0, 1) == b"x"
    with open_folder(str(tmp_path / "file")) as folder:
        assert folder.single_file == "a"


NOT_A_FILE = [
    (os.mkfifo, "fifo"),
    (os.mkdir, "folder"),
    (lambda path: os.symlink("/dev/zero", path), "device"),
    (lambda path: os.symlink("x", path), "link-loop"),
    (lambda path: os.symlink("y", path) or os.symlink("x", path[:-1] + "y"), "link-loop"),
    (lambda path: os.symlink("gone", path), "dangling-link"),
    (lambda path: os.symlink("../gone", path), "dangling-link"),
    (lambda path: os.symlink("pipe", path), "fifo"),
    (lambda path: os.symlink("..", path), "folder"),
    (lambda path: os.symlink("/proc/self/environ", path), "link-outside"),
    (lambda path: os.symlink("/proc/self/fd/0", path), None),
    (lambda path: None, "absent"),
]
OUTSIDE = ["../outside", "sub/../../outside", "../link", "../away/x"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with a pipe in it, and files beside it."""
    (tmp_path / "outside").write_bytes(b"secret")
    (tmp_path / "link").symlink_to("outside")
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "x").write_bytes(b"secret")
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    os.mkfifo(root / "pipe")
    return root


@pytest.mark.parametrize("follow_links", [True, False])
@pytest.mark.parametrize(("make", "kind"), NOT_A_FILE)
def test_anything_but_a_regular_file_is_refused(
    root: Path, make: Callable[[str], None], kind: str | None, follow_links: bool
) -> None:
    make(str(root / "x"))
    found = refusal(root, "x", follow_links=follow_links)
    assert found == kind or (kind is None and found in ("device", "link-outside", "fifo", "socket", "dangling-link"))


@pytest.mark.parametrize("target", OUTSIDE)
def test_a_link_out_of_the_folder_is_followed_to_a_regular_file(root: Path, target: str) -> None:
    (root / "x").symlink_to(target)
    with open_folder(str(root)) as folder, folder.open("x") as opened:
        assert opened.read(0, 6) == b"secret"
        assert opened.outside == os.path.realpath(root / target)


@pytest.mark.parametrize("target", OUTSIDE)
def test_a_link_out_of_the_folder_is_not_followed_in_a_strangers_folder(root: Path, target: str) -> None:
    (root / "x").symlink_to(target)
    assert refusal(root, "x", follow_links=False) == "link-outside"


def test_a_link_to_a_file_inside_is_followed(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "real").write_bytes(b"x")
    (tmp_path / "a").symlink_to("sub/real")
    with open_folder(str(tmp_path)) as folder:
        assert read(folder, "a", 0, 1) == b"x"
        assert read(folder, "sub/real", 0, 1) == b"x"


def test_a_linked_folder_on_the_way_is_followed_unless_it_is_a_strangers(root: Path) -> None:
    (root / "behind").symlink_to("../away")
    with open_folder(str(root)) as folder, folder.open("behind/x") as opened:
        assert (opened.read(0, 6), opened.outside) == (b"secret", os.path.realpath(root.parent / "away" / "x"))
    assert refusal(root, "behind/x", follow_links=False) == "link-outside"


@pytest.mark.parametrize("follow_links", [True, False])
@pytest.mark.parametrize("file", ["../outside", "sub/../../outside", "/etc/hostname", "../gone", "..", "sub\\x", "x\0"])
def test_a_path_that_leaves_is_not_opened_and_not_asked_about(root: Path, file: str, follow_links: bool) -> None:
    assert refusal(root, file, follow_links=follow_links) == "unsafe-path"


@pytest.mark.parametrize("file", ["./a", "sub/../a", "sub//b", "sub/./b", "../root/a", "{root}/a"])
def test_a_path_that_leads_back_inside_is_opened(root: Path, file: str) -> None:
    (root / "a").write_bytes(b"x")
    (root / "sub" / "b").write_bytes(b"x")
    with open_folder(str(root), follow_links=False) as folder, folder.open(file.format(root=root)) as opened:
        assert (opened.read(0, 1), opened.outside) == (b"x", None)


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("sub/../a", "a"), ("../root/sub/b", "sub/b"), ("{root}/gone", "gone"), ("../outside", None),
        ("gone/../a", None), ("{root}", None), ("sub/..", None), ("behind/x", None),
    ],
)  # fmt: skip
def test_the_place_of_a_path_is_its_plain_name_in_the_folder(root: Path, file: str, place: str | None) -> None:
    (root / "behind").symlink_to("../away")
    with open_folder(str(root)) as folder:
        assert folder.resolve(file.format(root=root)) == place


HASH = "ab" + "0" * 62


def make_cache(tmp_path: Path, repository: str = "models--o--m", target: str = "../../blobs/abc") -> Path:
    """A snapshot with three files: by one link, by two, and in a sub-folder."""
    base = tmp_path / repository
    (base / "blobs").mkdir(parents=True)
    (base / "blobs" / "abc").write_bytes(b"blob")
    store = tmp_path / "blobs" / "ab"
    store.mkdir(parents=True)
    (store / HASH).write_bytes(b"shared")
    (base / "blobs" / "def").symlink_to(f"../../blobs/ab/{HASH}")
    snapshot = base / "snapshots" / "r1"
    (snapshot / "sub").mkdir(parents=True)
    (snapshot / "model.safetensors").symlink_to(target)
    (snapshot / "shared.safetensors").symlink_to("../../blobs/def")
    (snapshot / "sub" / "x").symlink_to("../../../blobs/def")
    return snapshot


@pytest.mark.parametrize("follow_links", [True, False])
def test_the_links_of_a_hub_cache_belong_to_the_folder(tmp_path: Path, follow_links: bool) -> None:
    snapshot = make_cache(tmp_path)
    with open_folder(str(snapshot), follow_links=follow_links) as folder:
        for name, content in (("model.safetensors", b"blob"), ("shared.safetensors", b"shared"), ("sub/x", b"shared")):
            with folder.open(name) as opened:
                assert (opened.read(0, 9), opened.outside) == (content, None)
    with open_folder(str(snapshot / "shared.safetensors")) as folder:
        assert folder.single_file == "shared.safetensors"


@pytest.mark.parametrize(
    ("repository", "target"),
    [
        ("o--m", "../../blobs/abc"),
        ("models--o--m", "../../../x/blobs/abc"),
        ("models--o--m", "../../../models--o--other/blobs/abc"),
        ("models--o--m", "../../../blobs/ab/short"),
        ("models--o--m", "../../../blobs/secret"),
    ],
)
def test_what_only_looks_like_the_hub_cache_is_outside(tmp_path: Path, repository: str, target: str) -> None:
    snapshot = make_cache(tmp_path, repository, target)
    real = Path(os.path.realpath(snapshot / "model.safetensors"))
    real.parent.mkdir(parents=True, exist_ok=True)
    real.write_bytes(b"x")
    assert refusal(snapshot, "model.safetensors", follow_links=False) == "link-outside"


def test_a_blob_that_leads_out_of_the_cache_is_outside(tmp_path: Path) -> None:
    snapshot = make_cache(tmp_path)
    blob = tmp_path / "models--o--m" / "blobs" / "abc"
    blob.unlink()
    blob.symlink_to("/etc/hostname")
    assert refusal(snapshot, "model.safetensors", follow_links=False) == "link-outside"


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
            read(folder, "sub/sub/a", 0, 1)
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


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("./a", "a"), (".//./a", "a"), ("b//a", "b/a"), ("b/./a", "b/a"), ("a", "a"), ("a/", "a/"), ("a/.", "a/."),
        ("./", "./"), (".", "."), ("b/../a", "b/../a"), ("/a", "/a"), ("./../a", "./../a"), ("//a", "//a"),
    ],
)  # fmt: skip
def test_dots_and_slashes_that_mean_nothing_are_left_out(path: str, name: str) -> None:
    assert plain(path) == name
