"""`loadproof check` of many checkpoints, and several reports of one run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from tests.cli.process import EXAMPLES, ROOT, copy_of, run

SCHEMA = json.loads((ROOT / "docs" / "report.v1.schema.json").read_text())


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Three saves of a run with one fault, and one in order."""
    folder = tmp_path / "runs"
    for name in ("checkpoint-100", "checkpoint-200", "checkpoint-1000"):
        shutil.copytree(EXAMPLES / "wrapper-prefix", folder / name)
    shutil.copytree(EXAMPLES / "healthy", folder / "final")
    return folder


def test_a_folder_of_checkpoints_gives_one_table_and_says_a_shared_cause_once(runs: Path) -> None:
    result = run("check", "runs", cwd=runs.parent)
    lines = result.stdout.splitlines()
    assert result.returncode == 1
    assert [line.split()[:2] for line in lines[:4]] == [
        ["loads-wrong", "runs/checkpoint-100"],
        ["loads-wrong", "runs/checkpoint-200"],
        ["loads-wrong", "runs/checkpoint-1000"],
        ["loads", "runs/final"],
    ]
    assert sum("3 x  LP401 wrapper-prefix" in line for line in lines) == 1
    assert lines[-1] == "result   4 checkpoints: 3 loads-wrong, 1 loads"
    assert result.stderr.startswith("3 errors, 0 warnings in ")


def test_verbose_puts_the_whole_reports_before_the_table_and_quiet_leaves_the_sum(runs: Path) -> None:
    assert run("check", str(runs), "-v").stdout.count("error[LP401]") == 3
    assert run("check", str(runs), "-q").stdout == "result   4 checkpoints: 3 loads-wrong, 1 loads\n"


@pytest.mark.parametrize(
    ("targets", "status"),
    [
        (("healthy", "healthy/model.safetensors"), 0),
        (("healthy", "wrapper-prefix"), 1),
        (("healthy", "layer-plan-mismatch/model-00001-of-00012.safetensors"), 3),
        (("wrapper-prefix", "layer-plan-mismatch/model-00001-of-00012.safetensors"), 1),
        (("wrapper-prefix", "nowhere"), 2),
    ],
)
def test_the_worst_status_is_the_exit_status(targets: tuple[str, ...], status: int) -> None:
    assert run("check", *targets, cwd=EXAMPLES).returncode == status


def test_exit_zero_holds_for_all_but_paths_that_are_wrong() -> None:
    assert run("check", "healthy", "wrapper-prefix", "--exit-zero", cwd=EXAMPLES).returncode == 0
    assert run("check", "healthy", "nowhere", "--exit-zero", cwd=EXAMPLES).returncode == 2


def test_json_is_a_document_of_the_schema_a_line_and_an_error_where_there_is_no_checkpoint() -> None:
    result = run("check", "healthy", "nowhere", "wrapper-prefix", "--format", "json", cwd=EXAMPLES)
    first, second, third = map(json.loads, result.stdout.splitlines())
    for document in (first, third):
        jsonschema.validate(document, SCHEMA)
    assert (first["verdict"], third["verdict"]) == ("loads", "loads-wrong")
    assert second["error"]["message"] == "nowhere: No such file or directory"
    assert second["error"]["status"] == result.returncode == 2


def test_one_target_alone_is_reported_as_ever(tmp_path: Path) -> None:
    copy_of("healthy", tmp_path / "runs")
    assert run("check", "healthy", cwd=EXAMPLES).stdout.startswith("verdict  loads: ")
    lines = run("check", str(tmp_path / "runs"), "--format", "json").stdout.splitlines()
    assert [json.loads(line)["verdict"] for line in lines] == ["loads"]


def test_paths_come_from_a_file_or_from_standard_input(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f"# kept\n{EXAMPLES / 'healthy'}\n\n{EXAMPLES / 'wrapper-prefix'}\n")
    from_file = run("check", "--from", str(tmp_path / "list"))
    from_input = run("check", "--from", "-", text=(tmp_path / "list").read_text())
    assert from_file.stdout == from_input.stdout
    assert "result   2 checkpoints: 1 loads-wrong, 1 loads\n" in from_file.stdout


def test_paths_that_end_with_nul_may_hold_every_character(tmp_path: Path) -> None:
    folder = shutil.copytree(EXAMPLES / "healthy", tmp_path / "a\nb")
    result = run("check", "--from", "-", text=f"{folder}\0{EXAMPLES / 'wrapper-prefix'}\0")
    assert result.stdout.splitlines()[0].startswith(f"loads         {tmp_path}/a\\x0ab")
    assert "2 checkpoints: 1 loads-wrong, 1 loads" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--from", "no-such-list"), "loadproof: no-such-list: No such file or directory\n"),
        (("--from", "-"), "loadproof: standard input: no path in it; one a line is expected\n"),
        (("no/*/such",), "loadproof: no/*/such: no file matches this pattern\n"),
        (("healthy", "wrapper-prefix", "--reader", "nobody"), "unknown reader 'nobody'"),
        (("healthy", "--format", "text", "--format", "concise"), "two formats for standard output"),
        (("healthy", "--output", "x", "--format", "concise", "--output", "x"), "two reports for one file: x"),
        (("healthy", "--format", "nothing"), "invalid choice: 'nothing'"),
    ],
)
def test_misuse_is_one_message_and_exit_2(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    for name in ("healthy", "wrapper-prefix"):
        copy_of(name, tmp_path)
    result = run("check", *arguments, cwd=tmp_path, text="")
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tokenizer.json", "this is a tokenizer, not a checkpoint; check its folder: "),
        ("notes.txt", "this is no weight file, not a checkpoint; check its folder: "),
    ],
)
def test_a_file_that_is_no_checkpoint_is_a_usage_error(name: str, said: str, tmp_path: Path) -> None:
    folder = copy_of("healthy", tmp_path)
    (folder / name).write_text("{}")
    result = run("check", str(folder / name))
    assert result.returncode == 2
    assert result.stderr == f"loadproof: {folder / name}: {said}{folder}\n"


def test_a_file_whose_name_promises_weights_is_judged(tmp_path: Path) -> None:
    folder = copy_of("healthy", tmp_path)
    (folder / "model.safetensors").write_text("<html>")
    assert run("check", str(folder / "model.safetensors")).returncode == 1


def test_several_reports_of_one_run(tmp_path: Path) -> None:
    pairs = ("--format", "json", "--output", str(tmp_path / "a.json"), "--format", "concise", "--format", "text")
    result = run("check", "healthy", *pairs, "--output", str(tmp_path / "b.txt"), cwd=EXAMPLES)
    assert result.returncode == 0
    assert json.loads((tmp_path / "a.json").read_text())["verdict"] == "loads"
    assert (tmp_path / "b.txt").read_text().startswith("verdict  loads")
    assert result.stdout == ""


def test_the_order_of_a_format_and_its_output_does_not_matter(tmp_path: Path) -> None:
    run("check", "healthy", "--output", str(tmp_path / "a.json"), "--format", "json", cwd=EXAMPLES)
    assert json.loads((tmp_path / "a.json").read_text())["verdict"] == "loads"


def test_changed_files_stand_for_their_folder_and_others_are_passed_over(tmp_path: Path) -> None:
    folder = copy_of("wrapper-prefix", tmp_path)
    files = [str(folder / "config.json"), str(folder / "model.safetensors"), str(tmp_path / "README.md")]
    result = run("check", "--changed-files", *files)
    assert (result.returncode, result.stdout.count("loads-wrong ")) == (1, 1)
    assert run("check", "--changed-files", str(tmp_path / "README.md")).returncode == 0
