"""Where the base of an adapter is found, and where it is not looked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loadproof.core.reading import Reading
from loadproof.readers.peft.base import find_base

RAW = {"model_type": "llama", "hidden_size": 8}


def model(folder: Path, **fields: object) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({**RAW, **fields}))
    return folder


def found(named: object, adapter: Path, **reading: object) -> tuple[str | None, str]:
    base = find_base(named, str(adapter), Reading(**reading))
    assert bool(base.raw) == (base.path is not None)
    assert bool(base.why) == (base.path is None)
    return base.path, base.how


def test_a_folder_is_named_from_the_adapter(tmp_path: Path) -> None:
    base = model(tmp_path / "base")
    assert found("../base", tmp_path / "adapter") == (str(base), "base_model_name_or_path")
    assert found(str(base), tmp_path / "adapter") == (str(base), "base_model_name_or_path")


def test_a_folder_is_named_from_where_the_user_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model(tmp_path / "here" / "org" / "base")
    monkeypatch.chdir(tmp_path / "here")
    assert found("org/base", tmp_path / "adapter") == ("org/base", "base_model_name_or_path")


def test_a_name_of_the_hub_is_looked_for_in_its_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    repository = tmp_path / "hub" / "models--org--base"
    model(repository / "snapshots" / ("a" * 40), hidden_size=4)
    newer = model(repository / "snapshots" / ("b" * 40))
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("b" * 40)
    assert found("org/base", tmp_path / "adapter") == (str(newer), "hub cache")


def test_what_the_user_names_goes_first_and_may_be_the_config_itself(tmp_path: Path) -> None:
    model(tmp_path / "base")
    given = model(tmp_path / "given")
    assert found("../base", tmp_path / "adapter", base=str(given / "config.json")) == (str(given), "--base")
    assert found("../base", tmp_path / "adapter", base=str(tmp_path / "nothing")) == (None, "")


@pytest.mark.parametrize("named", [None, 3, "", "https://example.org/base", "no/where", "../\0", "a" * 5_000])
def test_what_leads_nowhere_is_said(named: object, tmp_path: Path) -> None:
    assert found(named, tmp_path / "adapter") == (None, "")


def test_the_folder_of_a_stranger_leads_nowhere(tmp_path: Path) -> None:
    model(tmp_path / "base")
    assert found("../base", tmp_path / "adapter", follow_links=False) == (None, "")


def test_a_config_that_is_no_object_is_none(tmp_path: Path) -> None:
    (model(tmp_path / "base") / "config.json").write_text("[1]")
    assert found("../base", tmp_path / "adapter") == (None, "")
