"""Which policy file is in force."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.policy.find import find_policy


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    return tmp_path


def test_the_nearest_file_upwards_is_in_force(here: Path) -> None:
    (here / "loadproof.toml").write_text("")
    assert find_policy().file == "../../loadproof.toml"
    (here / "a" / "pyproject.toml").write_text("[tool.loadproof]\n")
    assert find_policy().file == "../pyproject.toml"


def test_a_project_file_without_a_policy_is_none(here: Path) -> None:
    (here / "a" / "pyproject.toml").write_text("[tool.ruff]\n")
    (here / "loadproof.toml").write_text("")
    assert find_policy().file == "../../loadproof.toml"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ('[project]\ndependencies = ["loadproof"]\n', False),
        ("# no [tool.loadproof] here\n", False),
        ('[tool]\nloadproof = { fail-on = "info" }\n', True),
        ('[tool."loadproof"]\n', True),
        ('tool.loadproof.fail-on = "info"\n', True),
        ("[[tool.loadproof.overrides]]\npaths = []\n", True),
        ("[project\nx = loadproof\n", False),
        ("[tool.loadproof]\nx = \n", True),
    ],
)
def test_a_project_says_the_word_or_has_a_policy(here: Path, text: str, is_one: bool) -> None:
    (here / "a" / "pyproject.toml").write_text(text)
    assert (find_policy().file == "../pyproject.toml") is is_one


def test_its_own_file_stands_above_that_of_the_project(here: Path) -> None:
    (here / "a" / "b" / "pyproject.toml").write_text("[tool.loadproof]\n")
    (here / "a" / "b" / "loadproof.toml").write_text("")
    assert find_policy().file == "loadproof.toml"


@pytest.mark.parametrize("mark", ["config.json", "model.safetensors", "adapter_config.json"])
def test_a_file_that_came_with_a_checkpoint_is_passed_over(here: Path, mark: str) -> None:
    (here / "a" / "b" / "loadproof.toml").write_text("")
    (here / "a" / "b" / mark).write_text("{}")
    found = find_policy()
    assert found.file is None
    assert [file for file, _ in found.passed_over] == ["loadproof.toml"]
    (here / "a" / "loadproof.toml").write_text("")
    assert find_policy().file == "../loadproof.toml"


def test_a_folder_of_that_name_is_no_policy(here: Path) -> None:
    (here / "a" / "b" / "loadproof.toml").mkdir()
    assert find_policy().file is None


def test_a_project_file_with_a_number_beyond_the_limit_of_python_is_found(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.loadproof]\nx = " + "1" * 5_000)
    found = find_policy(str(tmp_path)).file
    assert found is not None
    assert found.endswith("pyproject.toml")
