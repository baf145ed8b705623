"""Policies, baselines and `loadproof config` as users meet them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import pytest

from tests.cli.process import EXAMPLES, ROOT, run

RESULTS = json.loads((ROOT / "docs" / "results.v1.schema.json").read_text())
REPORT = json.loads((ROOT / "docs" / "report.v1.schema.json").read_text())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two checkpoints with a fault, one without."""
    for name in ("healthy", "wrapper-prefix", "layer-plan-mismatch"):
        shutil.copytree(EXAMPLES / name, tmp_path / "runs" / name)
    return tmp_path


def test_a_policy_of_the_project_holds_and_its_overrides_for_their_paths(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.loadproof]\nignore = ["LP401"]\n[[tool.loadproof.overrides]]\npaths = ["runs/layer-*"]\n'
        'severity = { layer-plan-mismatch = "warning" }\n'
    )
    result = run("check", "runs", cwd=project)
    assert result.returncode == 0
    assert "accepted (ignored): LP401" in result.stdout
    assert result.stderr.startswith("0 errors, 1 warning, 1 accepted in ")
    assert run("check", "runs", "--isolated", cwd=project).returncode == 1
    assert run("check", "wrapper-prefix", cwd=project / "runs").returncode == 0
    assert run("check", "runs", "--fail-on", "warning", cwd=project).returncode == 1


def test_a_policy_file_that_is_named_stands_in_for_the_one_that_is_found(project: Path) -> None:
    (project / "loadproof.toml").write_text('ignore = ["LP4", "LP3"]\n')
    (project / "strict.toml").write_text("")
    assert run("check", "runs", cwd=project).returncode == 0
    assert run("check", "runs", "--config", "strict.toml", cwd=project).returncode == 1
    missing = run("check", "runs", "--config", "none.toml", cwd=project)
    assert (missing.returncode, missing.stderr) == (2, "loadproof: none.toml: No such file or directory\n")


def test_a_policy_in_the_folder_of_a_checkpoint_is_not_obeyed(project: Path) -> None:
    folder = project / "runs" / "wrapper-prefix"
    (folder / "loadproof.toml").write_text('ignore = ["LP4"]\n')
    result = run("check", ".", cwd=folder)
    assert result.returncode == 1
    assert result.stderr.startswith("loadproof: loadproof.toml is not used: it lies in the folder of a checkpoint")


def test_the_command_line_stands_above_the_file(project: Path) -> None:
    (project / "loadproof.toml").write_text('select = ["LP4"]\n')
    assert run("check", "runs/layer-plan-mismatch", cwd=project).returncode == 0
    assert run("check", "runs/layer-plan-mismatch", "--select", "LP3", cwd=project).returncode == 1
    assert run("check", "runs", "--select", "LP3,LP4", "--ignore", "LP301", cwd=project).returncode == 1
    assert run("check", "runs", "--ignore", "LP301", "--ignore", "wrapper-prefix", cwd=project).returncode == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('fail_on = "error"\n', "loadproof: loadproof.toml:1: unknown key 'fail_on'; did you mean 'fail-on'?\n"),
        ('\nignore = ["LP999"]\n', "loadproof: loadproof.toml:2: there is no code or slug 'LP999'"),
        ('reader = "nobody"\n', "loadproof: unknown reader 'nobody'"),
    ],
)
def test_a_policy_that_means_nothing_is_a_usage_error(project: Path, text: str, said: str) -> None:
    (project / "loadproof.toml").write_text(text)
    result = run("check", "runs/healthy", cwd=project)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(said)


def test_the_reader_of_the_policy_holds_for_every_command(project: Path) -> None:
    (project / "loadproof.toml").write_text('reader = "transformers@4.40.0"\n')
    for command, status in (("check", 3), ("plan", 3), ("fix", 3)):
        result = run(command, "runs/layer-plan-mismatch", cwd=project)
        assert result.returncode == status, command
        assert "4.40.0" in result.stdout
        assert "4.40.0" not in run(command, "runs/layer-plan-mismatch", "--isolated", cwd=project).stdout


def test_the_device_of_the_policy_is_judged_for(project: Path) -> None:
    (project / "loadproof.toml").write_text('device = "nowhere"\n')
    assert "loadproof.toml:1: device is 'nowhere'" in run("check", "runs/healthy", cwd=project).stderr
    (project / "loadproof.toml").write_text('device = "mps"\n')
    assert run("check", "runs/healthy", cwd=project).returncode == 0
    assert "device is" not in run("plan", "runs/healthy", "--device", "cpu", cwd=project).stderr


def test_an_accepted_finding_passes_until_it_changes(project: Path) -> None:
    written = run("baseline", "runs", cwd=project)
    assert written.returncode == 0
    assert written.stdout.endswith("loadproof-baseline.json accepts 2 findings\n")
    document = json.loads((project / "loadproof-baseline.json").read_text())
    jsonschema.validate(document, RESULTS)
    assert [one["target"] for one in document["findings"]] == ["runs/layer-plan-mismatch", "runs/wrapper-prefix"]
    checked = run("check", "runs", "--baseline", "loadproof-baseline.json", cwd=project)
    assert checked.returncode == 0
    assert "accepted (in loadproof-baseline.json): LP301" in checked.stdout
    (project / "runs").rename(project / "moved")
    assert run("check", "moved", "--baseline", "loadproof-baseline.json", cwd=project).returncode == 0
    config = project / "moved" / "layer-plan-mismatch" / "config.json"
    config.write_text(config.read_text().replace('"full_attention"', '"linear_attention"'))
    assert run("check", "moved", "--baseline", "loadproof-baseline.json", cwd=project).returncode == 1


def test_what_is_gone_is_reported_and_leaves_the_file_when_it_is_written_again(project: Path) -> None:
    run("baseline", "runs", cwd=project)
    for file in (EXAMPLES / "healthy").iterdir():
        shutil.copy(file, project / "runs" / "wrapper-prefix")
    result = run("check", "runs", "--baseline", "loadproof-baseline.json", cwd=project)
    assert "accepts what is gone: LP401 in runs/wrapper-prefix; write it again" in result.stderr
    again = run("baseline", "runs", cwd=project)
    assert "gone      runs/wrapper-prefix: LP401" in again.stdout
    assert "gone" not in run("check", "runs", "--baseline", "loadproof-baseline.json", cwd=project).stderr


def test_a_baseline_of_the_policy_is_written_to_its_place(project: Path) -> None:
    (project / "loadproof.toml").write_text('baseline = "accepted.json"\n')
    (project / "accepted.json").write_text('{"version": 1, "findings": []}')
    assert run("check", "runs", cwd=project).returncode == 1
    assert run("baseline", "runs", cwd=project).returncode == 0
    assert run("check", "runs", cwd=project).returncode == 0
    assert run("baseline", "runs", cwd=project).stdout.endswith("accepted.json accepts 2 findings\n")


def test_a_baseline_that_the_policy_names_need_not_be_there_to_be_written(project: Path) -> None:
    (project / "loadproof.toml").write_text('baseline = "accepted.json"\n')
    checked = run("check", "runs", cwd=project)
    assert checked.returncode == 2
    assert "accepted.json: there is no such baseline; 'loadproof baseline PATH' writes one" in checked.stderr
    assert run("baseline", "runs", cwd=project).returncode == 0
    assert run("check", "runs", cwd=project).returncode == 0


def test_a_file_that_is_no_baseline_is_not_overwritten(project: Path) -> None:
    (project / "notes.json").write_text("{}")
    result = run("baseline", "runs", "--output", "notes.json", cwd=project)
    assert result.returncode == 2
    assert (project / "notes.json").read_text() == "{}"


def test_accepted_findings_stand_in_the_reports_of_programs(project: Path) -> None:
    result = run("check", "runs/wrapper-prefix", "--ignore", "LP401", "--format", "json", cwd=project)
    document = json.loads(result.stdout)
    jsonschema.validate(document, REPORT)
    assert (document["verdict"], document["findings"]) == ("loads-wrong", [])
    assert (document["accepted"][0]["code"], document["accepted"][0]["reason"]) == ("LP401", "ignored")
    log = json.loads(run("check", "runs/wrapper-prefix", "--ignore", "LP401", "--format", "sarif", cwd=project).stdout)
    (found,) = log["runs"][0]["results"]
    assert found["suppressions"][0]["justification"] == "ignored"
    assert (
        "<skipped" in run("check", "runs/wrapper-prefix", "--ignore", "LP401", "--format", "junit", cwd=project).stdout
    )


def test_config_shows_every_key_and_where_it_stands(project: Path) -> None:
    (project / "loadproof.toml").write_text(
        'fail-on = "warning"\n[[overrides]]\npaths = ["runs/h*"]\nignore = ["LP115"]\n'
    )
    result = run("config", "runs/healthy", cwd=project)
    assert result.returncode == 0
    assert "policy loadproof.toml\ntarget runs/healthy\n" in result.stdout
    assert 'fail-on = "warning"' in result.stdout
    assert "# loadproof.toml:1\n" in result.stdout
    assert "# loadproof.toml:4\n" in result.stdout
    document = json.loads(run("config", "--format", "json", cwd=project).stdout)
    jsonschema.validate(document, RESULTS)
    assert document["settings"]["fail-on"] == {"value": "warning", "origin": "loadproof.toml:1"}
    assert document["settings"]["ignore"] == {"value": [], "origin": "default"}
