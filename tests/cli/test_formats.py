"""The report formats of `check` through the command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.process import EXAMPLES, run
from tests.report.official import assert_code_quality, assert_junit, sarif


def test_one_run_writes_a_report_for_each_program(tmp_path: Path) -> None:
    pairs = [("sarif", "a.sarif"), ("junit", "b.xml"), ("gitlab", "c.json"), ("markdown", "d.md")]
    options = [word for form, name in pairs for word in ("--format", form, "--output", str(tmp_path / name))]
    result = run("check", ".", *options, "--format", "text", cwd=EXAMPLES)
    assert result.returncode == 1
    assert "result   5 checkpoints: 2 fails, 2 loads-wrong, 1 loads" in result.stdout
    log = json.loads((tmp_path / "a.sarif").read_text())
    sarif().validate(log)
    assert {found["ruleId"] for found in log["runs"][0]["results"]} == {"LP201", "LP301", "LP401", "LP502"}
    assert all("help" in rule for rule in log["runs"][0]["tool"]["driver"]["rules"])
    assert len(list(assert_junit((tmp_path / "b.xml").read_text()).iter("failure"))) == 8
    assert len(assert_code_quality((tmp_path / "c.json").read_text())) == 4
    assert (tmp_path / "d.md").read_text().startswith("### loadproof: 5 checkpoints: ")


def test_annotations_go_to_the_log_and_the_report_to_the_page_of_the_step(tmp_path: Path) -> None:
    page = tmp_path / "summary.md"
    page.write_text("before\n")
    result = run("check", "wrapper-prefix", "--format", "github", cwd=EXAMPLES, GITHUB_STEP_SUMMARY=str(page))
    assert result.stdout.startswith(
        "::error file=wrapper-prefix/model.safetensors,title=LP401 wrapper-prefix::39 of 39"
    )
    assert page.read_text().startswith("before\n### loadproof: loads-wrong\n")
    run("check", "wrapper-prefix", cwd=EXAMPLES, GITHUB_STEP_SUMMARY=str(page))
    assert page.read_text().count("###") == 1


def test_a_page_of_the_step_that_cannot_be_written_is_a_hint(tmp_path: Path) -> None:
    result = run("check", "healthy", "--format", "github", cwd=EXAMPLES, GITHUB_STEP_SUMMARY=str(tmp_path / "no" / "x"))
    assert result.returncode == 0
    assert "the step summary could not be written: No such file" in result.stderr


@pytest.mark.parametrize("form", ["sarif", "junit", "gitlab", "github", "markdown"])
def test_the_status_is_that_of_the_text_report(form: str) -> None:
    for example, status in (("healthy", 0), ("wrapper-prefix", 1)):
        assert run("check", example, "--format", form, cwd=EXAMPLES).returncode == status


def test_exit_zero_leaves_a_failure_in_the_report() -> None:
    result = run("check", "wrapper-prefix", "--exit-zero", "--format", "junit", cwd=EXAMPLES)
    assert result.returncode == 0
    assert len(list(assert_junit(result.stdout).iter("failure"))) == 2


def test_a_warning_fails_in_junit_where_it_fails_the_run(tmp_path: Path) -> None:
    folder = tmp_path / "x"
    folder.mkdir()
    for file in (EXAMPLES / "healthy").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(f'{json.dumps(config)[:-1]}, "hidden_size": {config["hidden_size"]}}}')
    found = json.loads(run("check", str(folder), "--format", "json").stdout)["findings"]
    assert [one["severity"] for one in found] == ["warning"]
    assert not list(assert_junit(run("check", str(folder), "--format", "junit").stdout).iter("failure"))
    strict = run("check", str(folder), "--format", "junit", "--fail-on", "warning")
    assert strict.returncode == 1
    assert list(assert_junit(strict.stdout).iter("failure"))


def test_a_repair_and_a_plan_can_be_pasted() -> None:
    text = run("fix", "wrapper-prefix", "--unsafe", "--format", "markdown", cwd=EXAMPLES).stdout
    assert re.match(r"```text\nLP401 wrapper-prefix", text)
    assert "--unsafe --apply\n" in text
    assert run("plan", "healthy", "--format", "markdown", cwd=EXAMPLES).stdout.startswith("```text\n")


def browser_that_notes(folder: Path) -> str:
    """What $BROWSER may be: a program that writes down what it is to show."""
    program = folder / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > "{folder}/shown"\n')
    program.chmod(0o755)
    return str(program)


def test_the_page_is_shown_in_a_browser(tmp_path: Path) -> None:
    program = browser_that_notes(tmp_path)
    page = tmp_path / "with space.html"
    pair = ("--format", "html", "--output", str(page))
    assert run("check", "healthy", "--open", *pair, cwd=EXAMPLES, BROWSER=program).returncode == 0
    assert (tmp_path / "shown").read_text().strip() == page.as_uri()
    assert page.read_text().startswith("<!doctype html>")


def test_without_a_file_the_page_is_shown_from_a_temporary_one(tmp_path: Path) -> None:
    program = browser_that_notes(tmp_path)
    result = run("check", "healthy", "--open", cwd=EXAMPLES, BROWSER=program, TMPDIR=str(tmp_path))
    assert result.stdout.startswith("verdict  loads")
    shown = (tmp_path / "shown").read_text().strip().removeprefix("file://")
    assert Path(shown).read_text().startswith("<!doctype html>")
