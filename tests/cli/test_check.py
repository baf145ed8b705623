"""The command line as users run it: a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from loadproof.cli.check import summary
from loadproof.core.outcome import Row
from tests.cli.process import EXAMPLES, ROOT, run
from tests.report.build import report


def test_a_closed_standard_output_leaves_the_exit_status() -> None:
    shell = 'exec "$0" -m loadproof check "$1" >&-'
    result = subprocess.run(["sh", "-c", shell, sys.executable, EXAMPLES / "healthy"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("streams", ["2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("example", "status"), [("healthy", 0), ("head-flattened", 1)])
def test_closed_streams_leave_the_exit_status(streams: str, example: str, status: int) -> None:
    shell = f'exec "$0" -m loadproof check "$1" {streams}'
    assert subprocess.run(["sh", "-c", shell, sys.executable, EXAMPLES / example], check=False).returncode == status


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="needs /proc")
def test_no_file_takes_the_place_of_a_closed_stream() -> None:
    look = "import os, sys; from loadproof.cli.main import main; main(['rules']); f = open(os.devnull); sys.exit(f.fileno())"
    result = subprocess.run(["sh", "-c", 'exec "$0" -c "$1" <&- >&- 2>&-', sys.executable, look], check=False)
    assert result.returncode > 2


def test_what_is_no_folder_and_no_file_is_named_so() -> None:
    result = run("check", os.devnull)
    assert (result.returncode, result.stderr) == (2, f"loadproof: {os.devnull}: neither a folder nor a regular file\n")


def test_a_healthy_checkpoint_exits_0() -> None:
    result = run("check", "examples/healthy")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("verdict  loads: every parameter of LlamaForCausalLM gets its tensor\n")
    assert result.stderr.startswith("0 errors, 0 warnings in ")


@pytest.mark.parametrize(
    ("example", "verdict", "slug"),
    [
        ("layer-plan-mismatch", "loads-wrong", "layer-plan-mismatch"),
        ("head-flattened", "fails", "head-flattened"),
        ("wrapper-prefix", "loads-wrong", "wrapper-prefix"),
        ("config-dims-wrong", "fails", "config-dims-wrong"),
    ],
)
def test_every_example_names_its_fault_first_on_one_screen(example: str, verdict: str, slug: str) -> None:
    result = run("check", f"examples/{example}")
    lines = result.stdout.splitlines()
    assert result.returncode == 1
    assert f" {slug}: " in lines[0]
    assert len(lines) <= 20
    assert f"verdict  {verdict}: " in result.stdout
    assert "unexplained" not in result.stdout


def test_the_json_of_a_real_run_follows_the_schema() -> None:
    schema = json.loads((ROOT / "docs" / "report.v1.schema.json").read_text())
    for example in ("healthy", "layer-plan-mismatch", "head-flattened"):
        result = run("check", f"examples/{example}", "--format", "json")
        jsonschema.validate(json.loads(result.stdout), schema)
        assert result.stderr == ""


def test_the_status_is_the_same_in_every_format_and_exit_zero_overrides_it() -> None:
    for form in ("text", "concise", "json"):
        assert run("check", "examples/head-flattened", "--format", form).returncode == 1
    assert run("check", "examples/head-flattened", "--exit-zero").returncode == 0


def test_concise_lines_point_at_files_that_exist() -> None:
    line = run("check", "examples/layer-plan-mismatch", "--format", "concise").stdout.splitlines()[0]
    path, number, rest = line.split(":", 2)
    assert rest.startswith(" error[LP301] layer-plan-mismatch: ")
    assert '"linear_attention"' in (ROOT / path).read_text().splitlines()[int(number) - 1]


def test_quiet_prints_the_verdict_alone() -> None:
    result = run("check", "examples/head-flattened", "-q")
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == ""


def test_output_goes_to_a_file_when_asked(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    result = run("check", "examples/healthy", "--format", "json", "--output", str(target))
    assert result.stdout == ""
    assert json.loads(target.read_text())["verdict"] == "loads"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("check", "nowhere"), "loadproof: nowhere: No such file or directory\n"),
        (("check", "tests/cli"), "loadproof: tests/cli: no checkpoint here (no config.json, no weight files)\n"),
        (("check", "examples/healthy", "--reader", "nobody"), "unknown reader 'nobody'"),
        (("check", "examples/healthy", "--output", "no/such/folder/x"), "loadproof: no/such/folder/x: No such file"),
        (("check",), "the following arguments are required: PATH"),
        (("chek", "x"), "loadproof: there is no command 'chek'; did you mean 'check'?\n"),
        (("--nope",), "loadproof: there is no option '--nope'; 'loadproof --help' lists them\n"),
        (("plan", "nowhere"), "loadproof: nowhere: No such file or directory\n"),
        ((), "usage: loadproof"),
    ],
)
def test_misuse_is_one_message_and_exit_2(arguments: tuple[str, ...], text: str) -> None:
    result = run(*arguments)
    assert result.returncode == 2
    assert text in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr


def test_no_config_is_inconclusive_and_exits_3(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes((EXAMPLES / "healthy" / "model.safetensors").read_bytes())
    result = run("check", str(tmp_path))
    assert result.returncode == 3
    assert "verdict  inconclusive: there is no config.json\n" in result.stdout


def test_an_internal_error_is_two_lines_and_a_traceback_only_on_demand(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import loadproof.cli.check as c\nc.main = lambda arguments: {}['a\\x1b[2J']\n"
    )
    result = run("check", "x", PYTHONPATH=str(tmp_path))
    assert result.returncode == 2
    assert result.stderr.splitlines()[0].startswith("loadproof: internal error: KeyError: ")
    assert "\x1b" not in result.stderr
    assert "Traceback" not in result.stderr
    assert "Traceback" in run("check", "x", PYTHONPATH=str(tmp_path), LOADPROOF_DEBUG="1").stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m loadproof check examples/layer-plan-mismatch -v | true; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.returncode in (1, 141)
    assert "Traceback" not in result.stderr
    assert "BrokenPipe" not in result.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device")
@pytest.mark.parametrize(
    "arguments",
    ["check examples/healthy", "rules", "explain LP301", "plan examples/healthy", "fix examples/healthy", "--version"],
)
def test_a_full_disk_behind_standard_output_is_an_error_and_no_bug(arguments: str) -> None:
    command = f"{sys.executable} -m loadproof {arguments} > /dev/full"
    result = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.returncode == 2
    assert result.stderr.startswith("loadproof: standard output: ")
    assert len(result.stderr.splitlines()) == 1


def test_a_report_written_to_what_is_no_file_leaves_it_what_it_is(tmp_path: Path) -> None:
    fifo, link = tmp_path / "fifo", tmp_path / "link"
    os.mkfifo(fifo)
    reading = subprocess.Popen(["cat", str(fifo)], stdout=subprocess.PIPE, text=True)
    run("check", "examples/healthy", "--output", str(fifo))
    assert "verdict" in reading.communicate(timeout=60)[0]
    assert fifo.is_fifo()
    link.symlink_to(tmp_path / "target")
    run("check", "examples/healthy", "--output", str(link))
    assert link.is_symlink()
    assert "verdict" in (tmp_path / "target").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fifo", "link", "target"]


def test_the_last_line_counts_what_nothing_explains() -> None:
    rows = (Row("missing", "model.norm.weight", (), (16,)), Row("unexpected", "model.layers.{}.norm", ((0, 1),)))
    assert summary(report(unexplained=rows)).startswith("0 errors, 0 warnings, 3 names unexplained in ")


def test_colour_follows_the_switch_and_the_environment() -> None:
    assert "\x1b[" not in run("check", "examples/healthy").stdout
    assert "\x1b[" in run("check", "examples/healthy", "--color", "always").stdout
    assert "\x1b[" in run("check", "examples/healthy", FORCE_COLOR="1").stdout
    assert "\x1b[" not in run("check", "examples/healthy", FORCE_COLOR="1", NO_COLOR="1").stdout


def test_plan_prints_both_strips_and_marks_the_layer() -> None:
    result = run("plan", "examples/layer-plan-mismatch")
    assert result.returncode == 1
    assert "config   LLLFLLLFLLLFLLLFLLLFLLLF\n" in result.stdout
    assert "tensors  LLLFLLLFLLLFLLLFLLLFFLLF\n" in result.stdout
    assert f"{' ' * 29}^\n" in result.stdout
    assert "1 of 24 layers differs: 20" in result.stdout


def test_a_hostile_config_is_reported_without_its_escapes(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes((EXAMPLES / "healthy" / "model.safetensors").read_bytes())
    config = json.loads((EXAMPLES / "healthy" / "config.json").read_text())
    config["architectures"] = ["\x1b]8;;https://example.invalid\x07x"]
    config["num_hidden_layers"] = 10**9
    text = json.dumps(config, indent=1)
    (tmp_path / "config.json").write_text(text)
    result = run("check", str(tmp_path), "-v")
    assert result.returncode == 1
    assert "\x1b" not in result.stdout + result.stderr
    assert "num_hidden_layers = 1000000000 is more than 10,000" in result.stdout
    line = text[: text.index('"num_hidden_layers"')].count("\n") + 1
    assert f"config.json:{line} " in result.stdout


@pytest.mark.parametrize("name", ["model.safetensors", "model.safetensors.index.json", "config.json", "modeling_x.py"])
def test_a_report_does_not_take_the_place_of_a_checkpoints_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("weights")
    result = run("check", "examples/healthy", "--output", str(tmp_path / name))
    assert (result.returncode, (tmp_path / name).read_text()) == (2, "weights")
    assert "no report takes its place" in result.stderr


def test_a_report_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("old")
    assert run("check", "examples/healthy", "--output", str(tmp_path / "report.json")).returncode == 0
    assert (tmp_path / "report.json").read_text() != "old"


def test_an_empty_name_of_an_output_is_named_so() -> None:
    assert run("check", "examples/healthy", "--output", "").stderr.startswith("loadproof: --output: ")
