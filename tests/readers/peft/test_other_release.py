"""A release of peft that is not the installed one is evaluated behind the wall."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from loadproof.api import check
from loadproof.interpret.release.locate import find_package
from tests import zoo

pytestmark = pytest.mark.torch


def test_its_answer_is_that_of_the_installed_one(tmp_path: Path) -> None:
    installed = find_package("peft", "peft_model.py", None)
    assert installed is not None
    shutil.copytree(installed, tmp_path / "other" / "peft", ignore=shutil.ignore_patterns("__pycache__"))
    folder = zoo.build("llama").mutate(zoo.lora(["q_proj"])).write(tmp_path / "adapter")
    here, apart = (check(folder, source=source, use_cache=False) for source in (None, str(tmp_path / "other")))
    assert (here.verdict, apart.verdict) == ("loads", "loads")
    assert here.case.outcome == apart.case.outcome


def test_a_folder_without_it_is_an_error_of_the_user(tmp_path: Path) -> None:
    folder = zoo.build("llama").mutate(zoo.lora(["q_proj"])).write(tmp_path / "adapter")
    with pytest.raises(ValueError, match="no peft source there"):
        check(folder, source=str(tmp_path))
