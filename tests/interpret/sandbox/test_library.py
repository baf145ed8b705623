"""What a child is given of the files on disk: Python files below two folders, by plain names, no thing twice."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from loadproof.interpret.release.disk import Disk, on_disk
from loadproof.interpret.sandbox.library import Library
from loadproof.interpret.sandbox.line import Refused
from loadproof.interpret.sandbox.messages import ABSENT, FOUND, LIST, READ, TOO_LONG


def library(tmp_path: Path) -> Library:
    code = tmp_path / "code"
    (code / "sub").mkdir(parents=True)
    for name in ("modeling.py", "sub/inner.py", "config.json", "odd-name.py"):
        (code / name).write_text("x = 1")
    (code / "big.py").write_bytes(b"#" * 4_000_001)
    (tmp_path / "secret.py").write_text("SECRET = 1")
    (code / "leak.py").symlink_to(tmp_path / "secret.py")
    (code / "leaks").symlink_to(tmp_path)
    (code / "ring").symlink_to(code)
    if sys.platform != "win32":
        os.mkfifo(code / "pipe.py")
        (code / "zero.py").symlink_to("/dev/zero")
    return Library(on_disk(str(tmp_path / "release"), str(code), is_trusted=False))


BAD_NAMES = (
    *("..", "../secret.py", "/etc/passwd", "etc/passwd", "remote/../secret.py", "remote/..", "remote/.", "remote/./modeling.py"),
    *("remote//modeling.py", "remote/modeling.py/..", "remote/config.json", "remote/leak.py", "remote/leaks/secret.py"),
    *("remote/pipe.py", "remote/zero.py", "remote\0/x", "remote/modeling.py\0.txt", "remote/modeling.py\n", "\udcff", "", "/"),
    *("remote/", "remote", "remote/C:/x.py", "remote/~", "remote/.py", "remote/odd-name.py", "remote/sub", "x" * 60_000),
    *("transformers/../code/modeling.py", "remote/" + "ring/" * 40 + "modeling.py"),
)  # fmt: skip


@pytest.mark.parametrize("name", BAD_NAMES, ids=range(len(BAD_NAMES)))
def test_no_file_is_given_under_a_name_that_is_none(name: str, tmp_path: Path) -> None:
    assert library(tmp_path).reply(READ, name) == (ABSENT, b"")


def test_good_names_are_answered_once(tmp_path: Path) -> None:
    asked = library(tmp_path)
    assert asked.reply(READ, "remote/modeling.py") == (FOUND, b"x = 1")
    assert asked.reply(READ, "remote/sub/inner.py") == (FOUND, b"x = 1")
    assert asked.reply(READ, "remote/big.py") == (TOO_LONG, b"")
    assert asked.reply(LIST, "remote/leaks") == (FOUND, b"")
    assert asked.reply(LIST, "remote")[1].split(b"\n") == [
        *(b"fbig.py", b"xleak.py", b"xleaks", b"fmodeling.py", b"dring", b"dsub"),
    ]
    with pytest.raises(Refused):
        asked.reply(READ, "remote/modeling.py")


def test_more_than_the_bounds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadproof.interpret.sandbox.library.REQUESTS", 3)
    asked = library(tmp_path)
    for number in range(3):
        asked.reply(READ, f"remote/x{number}.py")
    with pytest.raises(Refused):
        asked.reply(READ, "remote/modeling.py")


def test_a_release_of_strangers_may_not_lead_out_either(tmp_path: Path) -> None:
    release = tmp_path / "release"
    release.mkdir()
    (tmp_path / "secret.py").write_text("SECRET = 1")
    (release / "leak.py").symlink_to(tmp_path / "secret.py")
    assert on_disk(str(release), is_trusted=False).read("transformers/leak.py") is None
    trusted: Disk = on_disk(str(release), is_trusted=True)
    assert trusted.read("transformers/leak.py") == b"SECRET = 1"
