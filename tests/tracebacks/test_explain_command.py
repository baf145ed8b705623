"""``loadproof explain``: files, standard input, texts, rule pages; exit status and length of the answer."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from loadproof.cli.explain import main, pieces
from loadproof.tracebacks.knowledge import entries
from tests.zoo.checkpoint import build
from tests.zoo.mutations import mutation

KEY = "KeyError: 'language_model.model.layers.20.linear_attn'"


def test_a_message_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([KEY]) == 0
    text = capsys.readouterr().out
    assert "LP704 engine-not-checkpoint" in text
    assert "vllm-project/vllm#36640" in text
    assert "--pipeline-parallel-size 1" in text


def test_a_log_file_and_standard_input_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "serve.log"
    log.write_text(f"vLLM API server version 0.19.1\n{KEY}\n")
    assert main([str(log)]) == 0
    from_file = capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log.read_bytes())))
    assert main(["-"]) == 0
    assert capsys.readouterr().out == from_file
    assert "vllm 0.19.1" in from_file


def test_closed_standard_input_is_a_usage_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["-"]) == 2
    assert "standard input is closed" in capsys.readouterr().err


def test_one_entry_clears_the_files_and_the_plan_is_seen_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    main([KEY])
    text = capsys.readouterr().out
    assert text.count("engine-not-checkpoint") == 1
    assert "2. possible LP301 layer-plan-mismatch" in text


def test_an_unknown_text_is_said_to_be_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ZeroDivisionError: division by zero"]) == 3
    text = capsys.readouterr().out
    assert "not recognised" in text
    assert "ZeroDivisionError" in text


@pytest.mark.parametrize("what", ["LP401", "lp401", "wrapper-prefix"])
def test_a_rule_shows_its_page(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([what]) == 0
    assert capsys.readouterr().out.startswith("# LP401 wrapper-prefix")


@pytest.mark.parametrize("what", ["LP999", "nowhere/serve.log", "./missing.txt"])
def test_what_does_not_exist_is_a_usage_error(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([what]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1


def test_a_checkpoint_that_does_not_exist_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([KEY, "--checkpoint", "/nowhere/at/all"]) == 2
    assert "/nowhere/at/all" in capsys.readouterr().err


def test_json_has_the_symptom_and_the_causes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([KEY, "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["schema_version"] == "1.0"
    assert report["symptom"]["names"] == ["language_model.model.layers.20.linear_attn"]
    assert report["findings"][0]["code"] == "LP704"
    assert report["verdict"] == "inconclusive"


def test_json_is_valid_against_the_published_schema(capsys: pytest.CaptureFixture[str]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(__file__).parents[2] / "docs" / "report.v1.schema.json").read_text())
    main([KEY, "--format", "json"])
    jsonschema.validate(json.loads(capsys.readouterr().out), schema)


def test_with_a_checkpoint_the_command_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = build("llama").mutate(mutation('add_prefix("_orig_mod.")')).write(tmp_path / "m")
    assert main(["There is no module or parameter named '_orig_mod' in X", "--checkpoint", str(folder)]) == 0
    text = capsys.readouterr().out
    assert f"loadproof fix {folder} LP401" in text
    assert "verdict  loads-wrong" in text


def test_every_answer_fits_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    for entry in entries():
        for example in entry.examples:
            main([example.text + "\n"])
            assert capsys.readouterr().out.count("\n") <= 25, example.text


def test_the_answer_can_be_written_to_a_file(tmp_path: Path) -> None:
    assert main([KEY, "--output", str(tmp_path / "answer.txt")]) == 0
    assert "LP704" in (tmp_path / "answer.txt").read_text()


def test_escapes_in_the_text_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    main(["KeyError: 'model.layers.3.\x1b]0;x\x07linear_attn\u202e'"])
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_an_endless_line_comes_in_pieces() -> None:
    parts = list(pieces(io.StringIO("x" * (3 << 20) + "\nend")))
    assert max(map(len, parts)) <= (1 << 20) + (1 << 16)
    assert parts[-1] == "end"
