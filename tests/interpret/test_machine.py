"""What is asked of the machine: installed packages, and what the text of torch bears out."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.interpret.release import machine
from loadproof.interpret.release.disk import on_disk
from loadproof.interpret.release.package_names import names_of

SOUND = """
from torch import nn, Tensor
from torch.nn import CrossEntropyLoss, functional as F
from torch.nn.init import (
    normal_,  # a remark
    trunc_normal_,
)
import torch.utils.checkpoint
import torch._dynamo
"""


def survey(folder: Path, text: str, *, installed: bool = True) -> machine.Machine:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "modeling_x.py").write_text(text)
    return machine.survey(
        on_disk(str(folder), str(folder), is_trusted=False), str(folder), is_installed_release=installed
    )


@pytest.mark.torch
def test_installed_packages_are_known_by_name(tmp_path: Path) -> None:
    found = survey(tmp_path, "import msgspec, no_such_package_xyz\nfrom no_such_other.deep import x\n")
    assert found.known
    assert [found.has(n) for n in ("msgspec", "no_such_package_xyz", "no_such_other", "never_named")] == [
        *(True, False, False, None)
    ]


def test_another_release_says_nothing_of_this_machine(tmp_path: Path) -> None:
    assert survey(tmp_path, "import no_such_package_xyz\n", installed=False).has("no_such_package_xyz") is None


def test_nothing_is_known_where_torch_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "is_installed", lambda name: name != "torch")
    assert not survey(tmp_path, "import msgspec\n").known


def test_a_snapshot_of_the_hubs_cache_is_known_by_its_place(tmp_path: Path) -> None:
    assert survey(tmp_path / "snapshots" / "c0ffee", "").is_snapshot
    assert not survey(tmp_path / "other" / "c0ffee", "").is_snapshot


@pytest.mark.torch
def test_what_torch_has_is_not_doubted() -> None:
    assert names_of([SOUND]).doubted == frozenset()


@pytest.mark.torch
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from torch.nn import NoSuchLayerXyz, Linear\n", "torch.nn.NoSuchLayerXyz"),
        ("from torch._six import inf\n", "torch._six."),
        ("    import torch.no_such_module\n", "torch.no_such_module."),
    ],
)
def test_what_torch_does_not_mention_is_doubted(text: str, name: str) -> None:
    assert names_of([SOUND + text]).doubted == {name}
