"""The files for other programs: valid by their schemas, and run here as far as no network is needed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.cli.process import EXAMPLES, ROOT, cache_folder
from tests.report.official import assert_code_quality, assert_junit, sarif, stored

ACTION = ROOT / "action.yml"
WORKFLOWS = [*sorted((ROOT / ".github" / "workflows").glob("*.yml")), ROOT / "docs" / "ci" / "github-workflow.yml"]
GITLAB = ROOT / "docs" / "ci" / "gitlab-ci.yml"


def read(file: Path) -> Any:
    """YAML as its readers see it: ``on`` is a word."""
    return json.loads(json.dumps(yaml.load(file.read_text(), yaml.BaseLoader)))


def typed(file: Path) -> Any:
    text = re.sub(r"^on:", '"on":', file.read_text(), flags=re.MULTILINE)
    return yaml.safe_load(text)


def validate(document: Any, mark: bytes) -> None:
    schema = json.loads(stored(mark))
    jsonschema.Draft7Validator(schema).validate(document)


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_is_valid_by_the_schema(file: Path) -> None:
    document = typed(file)
    validate(document, b'workflow-syntax-for-github-actions",\r\n  "type"')
    for job in document["jobs"].values():
        for step in job["steps"]:
            assert "${{" not in step.get("run", ""), "inputs reach a script as variables"
    assert document["permissions"]["contents"] == "read"


def test_the_action_and_the_gitlab_template_are_valid_by_their_schemas() -> None:
    validate(typed(ACTION), b'metadata-syntax-for-github-actions",\r\n  "type"')
    validate(typed(GITLAB), b'"title": "Gitlab CI configuration"')


def test_a_schema_refuses_what_is_wrong() -> None:
    document = typed(ACTION) | {"runs": {"using": "composite", "steps": [{"run": 3}]}}
    with pytest.raises(jsonschema.ValidationError):
        validate(document, b'metadata-syntax-for-github-actions",\r\n  "type"')


def environment(folder: Path, **more: str) -> dict[str, str]:
    """A shell in which `loadproof` is the one of these tests."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    command = programs / "loadproof"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m loadproof "$@"\n')
    command.chmod(0o755)
    keep = {key: os.environ[key] for key in ("HOME", "XDG_STATE_HOME") if key in os.environ}
    path = f"{programs}:{os.environ['PATH']}"
    return keep | {"PATH": path, "PYTHONPATH": str(ROOT / "src"), "XDG_CACHE_HOME": cache_folder()} | more


def run_action(folder: Path, **inputs: str) -> tuple[int, dict[str, str], str, str]:
    """The steps of the action without its installation, as a runner runs them: status, outputs, log, step summary."""
    action = read(ACTION)
    given = {name: one.get("default", "") for name, one in action["inputs"].items()} | inputs
    output, summary = folder / "output", folder / "summary"
    output.write_text("")
    summary.write_text("")
    status, log = 0, ""
    for step in action["runs"]["steps"]:
        if "pip install" in step["run"]:
            continue
        values = {
            key: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda m: given[m[1]], value)
            for key, value in step["env"].items()
        }
        env = environment(folder, GITHUB_OUTPUT=str(output), GITHUB_STEP_SUMMARY=str(summary), **values)
        script = folder / "script.sh"
        script.write_text(step["run"])
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        done = subprocess.run(shell, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
        status, log = status or done.returncode, log + done.stdout
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return status, outputs, log, summary.read_text()


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for name in ("healthy", "wrapper-prefix"):
        shutil.copytree(EXAMPLES / name, tmp_path / "models" / name)
    return tmp_path


def test_the_action_annotates_summarises_and_fails(models: Path) -> None:
    status, outputs, log, summary = run_action(models, paths="models/\n")
    assert (status, outputs) == (1, {"status": "1"})
    assert "::error file=models/wrapper-prefix/model.safetensors,title=LP401 wrapper-prefix::" in log
    assert summary.startswith("### loadproof: 2 checkpoints: 1 loads-wrong, 1 loads")
    sarif().validate(json.loads((models / "loadproof.sarif").read_text()))
    assert (models / "loadproof.html").read_text().startswith("<!doctype html>")
    assert (models / "loadproof.md").read_text() == summary


def test_the_action_takes_options_a_word_a_line_and_runs_nothing_that_stands_in_them(models: Path) -> None:
    options = "--ignore\nLP401\n--fail-on\n$(touch hacked)`touch hacked`;touch hacked\n"
    status, outputs, _, _ = run_action(models, paths="models/healthy\n$(touch hacked)\n", options=options)
    assert (status, outputs["status"]) == (2, "2")
    assert not (models / "hacked").exists()
    status, outputs, _, _ = run_action(models, paths="models\n", options="--ignore\nLP401\n")
    assert (status, outputs["status"]) == (0, "0")


def test_the_steps_of_the_example_workflow_fit_the_action() -> None:
    steps = typed(ROOT / "docs" / "ci" / "github-workflow.yml")["jobs"]["loadproof"]["steps"]
    (used,) = [step for step in steps if "loadproof@" in step.get("uses", "")]
    inputs = typed(ACTION)["inputs"]
    assert set(used["with"]) <= set(inputs)
    text = json.dumps(steps)
    for name in ("sarif", "html", "markdown"):
        assert inputs[name]["default"] in text


def test_the_gitlab_job_writes_its_reports(models: Path) -> None:
    job = typed(GITLAB)["loadproof"]
    install, check = job["script"]
    assert install.startswith("pip install")
    env = environment(models, **job["variables"])
    done = subprocess.run(["sh", "-ec", check], cwd=models, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    reports = job["artifacts"]["reports"]
    assert len(assert_code_quality((models / reports["codequality"]).read_text())) == 1
    assert list(assert_junit((models / reports["junit"]).read_text()).iter("failure"))
    assert (models / job["artifacts"]["paths"][0]).exists()


@pytest.mark.parametrize(
    ("file", "checked"),
    [
        ("a/config.json", True),
        ("a/model-00001-of-00002.safetensors", True),
        ("a/model.safetensors.index.json", True),
        ("adapter_config.json", True),
        ("a/modeling_x.py", True),
        ("a/tsconfig.json", False),
        ("a/my_config.json", False),
        ("src/model.py", False),
        ("a/config.json.bak", False),
    ],
)
def test_the_hook_runs_for_the_files_of_a_checkpoint(file: str, checked: bool) -> None:
    (hook,) = read(ROOT / ".pre-commit-hooks.yaml")
    assert bool(re.search(hook["files"], file)) is checked


def test_the_hook_checks_the_folders_of_changed_files(models: Path) -> None:
    (hook,) = read(ROOT / ".pre-commit-hooks.yaml")
    (given,) = read(ROOT / "docs" / "ci" / "pre-commit-config.yaml")["repos"][0]["hooks"]
    assert given["id"] == hook["id"]
    words = [*hook["entry"].split(), *given["args"]]
    for name, status in (("healthy", 0), ("wrapper-prefix", 1)):
        files = [f"models/{name}/config.json", f"models/{name}/model.safetensors"]
        done = subprocess.run([*words, *files], cwd=models, env=environment(models), capture_output=True, text=True)
        assert (done.returncode, done.stdout.count(f"models/{name}")) == (status, 1)


def fake(folder: Path, name: str, script: str) -> None:
    environment(folder)
    program = folder / "bin" / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


@pytest.mark.parametrize(("name", "served"), [("healthy", True), ("wrapper-prefix", False)])
def test_a_model_is_served_only_if_it_loads(models: Path, name: str, served: bool) -> None:
    fake(models, "vllm", 'echo "served $*"')
    done = subprocess.run(
        [ROOT / "docs" / "ci" / "serve.sh", f"models/{name}", "--port", "1"],
        cwd=models,
        env=environment(models),
        capture_output=True,
        text=True,
    )
    assert done.returncode == (0 if served else 1)
    assert done.stdout == (f"served serve models/{name} --port 1\n" if served else "")
    assert "verdict" in done.stderr


def test_the_extension_of_hf_looks_at_config_and_index_before_the_weights_are_there(models: Path) -> None:
    folder = models / "snapshot"
    shutil.copytree(EXAMPLES / "layer-plan-mismatch", folder)
    for weights in folder.glob("*.safetensors"):
        weights.unlink()
    fake(models, "hf", f'echo "$@" > asked; echo "{folder}"')
    script = ROOT / "docs" / "ci" / "hf-loadproof"
    done = subprocess.run(
        [script, "check", "org/name", "-q"], cwd=models, env=environment(models), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.startswith("verdict  loads-wrong")) == (1, True)
    assert (models / "asked").read_text() == "download org/name --include *.json --include *.py --quiet\n"
    done = subprocess.run([script, "check", "models/healthy"], cwd=models, env=environment(models), capture_output=True)
    assert done.returncode == 0
    done = subprocess.run([script, "rules"], cwd=models, env=environment(models), capture_output=True, text=True)
    assert "LP301" in done.stdout


def test_the_real_hf_runs_the_extension(models: Path) -> None:
    program = Path(sys.executable).with_name("hf")
    if not program.exists():
        pytest.skip("hf is not installed")
    home = models / "home"
    place = home / ".local" / "share" / "hf" / "extensions" / "hf-loadproof"
    place.mkdir(parents=True)
    executable = shutil.copy(ROOT / "docs" / "ci" / "hf-loadproof", place)
    manifest = {
        "owner": "o",
        "repo": "hf-loadproof",
        "repo_id": "o/hf-loadproof",
        "short_name": "loadproof",
        "type": "binary",
    }
    manifest |= {"executable_path": str(executable), "installed_at": datetime(2026, 1, 1).isoformat()}
    (place / "manifest.json").write_text(json.dumps(manifest))
    env = environment(models, HOME=str(home), HF_HUB_DISABLE_UPDATE_CHECK="1", HF_HUB_OFFLINE="1")
    done = subprocess.run(
        [program, "loadproof", "check", "models/wrapper-prefix"],
        cwd=models,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "error[LP401] wrapper-prefix" in done.stdout
