"""Where JSON is asked for, every error is an object too; and a mistyped word draws the one that was meant."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from tests.cli.process import ROOT, copy_of, run

SCHEMA = json.loads((ROOT / "docs" / "results.v1.schema.json").read_text())


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("check", "nowhere", "--format", "json"), 2, "nowhere: No such file or directory"),
        (("check", "--format=json", "examples/healthy", "--fail-on", "eror"), 2, "invalid choice: 'eror'"),
        (("check", "--form", "json"), 2, "the following arguments are required: PATH"),
        (("chek", "--format", "json"), 2, "there is no command 'chek'"),
        (("diff", "examples/healthy", "nowhere", "--format", "json"), 2, "nowhere"),
        (("plan", "tests/cli", "--format", "json"), 2, "no checkpoint here"),
        (("explain", "LP999", "--format", "json"), 2, "there is no rule LP999"),
        (("explain", "no-such.log", "--format", "json"), 2, "no-such.log: no such file"),
        (("fix", "examples/healthy", "LP201", "--format", "json"), 2, "LP201: no such finding"),
        (("undo", "examples/healthy", "--format", "json"), 1, "there is no repair to undo here"),
        (("rules", "--nope", "--format", "json"), 2, "unrecognized arguments: --nope"),
    ],
)
def test_an_error_is_an_object_on_stdout_and_a_line_on_stderr(
    arguments: tuple[str, ...], status: int, said: str
) -> None:
    result = run(*arguments)
    assert result.returncode == status
    answer = json.loads(result.stdout)
    jsonschema.validate(answer, SCHEMA)
    assert answer["error"]["status"] == status
    assert said in answer["error"]["message"]
    assert said in result.stderr


def test_an_error_object_takes_the_place_of_the_report_in_a_file(tmp_path: Path) -> None:
    result = run("check", "nowhere", "--format", "json", "--output", "r.json", "--format", "concise", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert json.loads((tmp_path / "r.json").read_text())["error"]["message"] == "nowhere: No such file or directory"


def test_a_refused_repair_is_an_error_object(tmp_path: Path) -> None:
    folder = copy_of("layer-plan-mismatch", tmp_path)
    (folder / "config.json").rename(tmp_path / "c.json")
    (folder / "config.json").symlink_to(tmp_path / "c.json")
    result = run("fix", str(folder), "--apply", "--format", "json")
    assert result.returncode == 1
    assert "a symbolic link" in json.loads(result.stdout)["error"]["message"]


@pytest.mark.parametrize("arguments", [("check", "nowhere"), ("check", "nowhere", "--format", "concise")])
def test_people_get_no_object(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).stdout == ""


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("--formt", "json"), "did you mean '--format'?"),
        (("--names_only",), "did you mean '--names-only'?"),
        (("--fail-on", "warnings"), "did you mean 'warning'?"),
        (("--format", "JSON"), "did you mean 'json'?"),
        (("--reader", "transfomers"), "did you mean 'transformers'?"),
        (("--class", "LlamaForCausaLM"), "did you mean 'LlamaForCausalLM'?"),
    ],
)
def test_a_mistyped_word_draws_the_one_that_was_meant(arguments: tuple[str, ...], meant: str) -> None:
    result = run("check", "examples/healthy", *arguments)
    assert meant in result.stdout + result.stderr


def test_what_is_like_nothing_known_draws_no_guess() -> None:
    result = run("check", "examples/healthy", "--qqq")
    assert "did you mean" not in result.stderr
