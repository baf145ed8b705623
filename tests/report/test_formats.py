"""One-liners and JSON v1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from msgspec.structs import replace

from loadproof.core.checkpoint import FileInfo, Inventory
from loadproof.core.coverage import Skip
from loadproof.core.findings import Evidence, Finding
from loadproof.core.fingerprints import fingerprint
from loadproof.core.outcome import Row
from loadproof.core.places import Place, about
from loadproof.core.symptom import Symptom
from loadproof.report import render_concise, render_json
from tests.report.build import FILES, PLAN_FINDING, ROWS, report
from tests.report.schemas import closed

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.v1.schema.json").read_text())


def as_json(value: Any) -> dict[str, Any]:
    """The rendered report: every field of it is described by the published schema."""
    document: dict[str, Any] = json.loads(render_json(value))
    closed("report").validate(document)
    return document


def test_the_schema_is_itself_valid_and_lets_fields_be_added() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    document = as_json(report(PLAN_FINDING)) | {"extra": 1}
    jsonschema.validate(document, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        closed("report").validate(document)


def test_a_fix_says_what_it_does_and_the_command_that_plans_it() -> None:
    (fix,) = as_json(report(PLAN_FINDING))["findings"][0]["fixes"]
    assert fix == {
        "title": 'set layer_types[20] to "full_attention"',
        "safety": "lossless",
        "loss": None,
        "command": "loadproof fix checkpoint LP301",
        "operations": [
            {
                "type": "set-json",
                "file": "config.json",
                "path": ["text_config", "layer_types", 20],
                "value": "full_attention",
            }
        ],
    }


def test_json_holds_every_field_of_version_1() -> None:
    document = as_json(report(PLAN_FINDING, skipped=(Skip("tokenizer", "no files"),)))
    assert document["schema_version"] == "1.0"
    assert document["target"] == {
        "location": "checkpoint",
        "format": "safetensors-sharded",
        "files": 12,
        "tensors": 291,
        "bytes": 123456789,
    }
    assert document["reader"] == {
        "name": "transformers",
        "version": "5.24.0",
        "class": "Qwen3NextForCausalLM",
        "source": "installed",
    }
    assert document["verdict"] == "loads-wrong"
    assert len(document["outcome"]["missing"]) == 7
    assert document["outcome"]["raises"] is False
    assert document["layer_plan"] == {"config": "LLLF", "tensors": "L?CF"}
    assert len(document["findings"][0]["fixes"]) == 1
    assert document["coverage"]["skipped"] == [{"what": "tokenizer", "why": "no files"}]
    assert document["symptom"] is None
    assert document["timings"]["total_s"] == 0.04


def test_json_expands_families_into_names() -> None:
    rows = (Row("mismatched", "layers.{}.x", ((0, 2),), expected=(4, 4), found=(16,)), Row("conversion", "a", ()))
    document = as_json(report(replace(PLAN_FINDING, rows=rows), unexplained=(Row("missing", "b.{}", ((1, 3),)),)))
    assert document["outcome"]["mismatched"] == [
        {"name": "layers.0.x", "expected": [4, 4], "found": [16]},
        {"name": "layers.2.x", "expected": [4, 4], "found": [16]},
    ]
    assert document["outcome"]["conversion_errors"] == ["a"]
    assert document["unexplained"] == ["b.1", "b.3"]


def test_json_carries_a_symptom() -> None:
    symptom = Symptom("vllm", "0.19.1", "cache-init", "KeyError", "x", ("a.b",), (), {"pp": 3})
    assert as_json(report(symptom=symptom))["symptom"] == {
        "engine": "vllm",
        "engine_version": "0.19.1",
        "phase": "cache-init",
        "exception": "KeyError",
        "names": ["a.b"],
        "run": {"pp": 3},
    }


def test_json_is_plain_ascii_and_keeps_names_exact() -> None:
    name = "a\x1b[2J\u202eé\U0001f600\x7f"
    text = render_json(report(replace(PLAN_FINDING, rows=(Row("missing", name, ()),))))
    assert text.isascii()
    assert "\x1b" not in text
    assert "\x7f" not in text
    assert json.loads(text)["outcome"]["missing"] == [name]


def test_json_survives_lone_surrogates() -> None:
    document = as_json(report(replace(PLAN_FINDING, rows=(Row("missing", "a\ud800", ()),))))
    assert document["outcome"]["missing"] == ["a\\ud800"]


def test_the_fingerprint_stays_when_only_words_or_lines_change() -> None:
    moved = replace(
        PLAN_FINDING,
        headline="said otherwise",
        evidence=(Evidence(Place("config.json", 99), "x"), Evidence(Place("model-00005-of-00012.safetensors"), "y")),
    )
    assert fingerprint(moved) == fingerprint(PLAN_FINDING)
    assert len(fingerprint(moved)) == 16
    assert fingerprint(replace(PLAN_FINDING, rows=PLAN_FINDING.rows[1:])) != fingerprint(PLAN_FINDING)
    assert fingerprint(replace(PLAN_FINDING, code="LP302")) != fingerprint(PLAN_FINDING)


def test_json_gives_places_as_values() -> None:
    evidence = (Evidence(Place("m.safetensors", None, "a.weight", 40), "x"), Evidence(about("tensors"), "y"))
    document = json.loads(render_json(report(replace(PLAN_FINDING, evidence=evidence))))
    first, second = document["findings"][0]["evidence"]
    assert first["where"] == "m.safetensors, byte 40"
    assert first["place"] == {"file": "m.safetensors", "line": None, "tensor": "a.weight", "offset": 40}
    assert second["where"] == "tensors"
    assert set(second["place"].values()) == {None}


def test_concise_is_one_clickable_line_per_finding() -> None:
    assert render_concise(report(PLAN_FINDING, PLAN_FINDING)) == 2 * (
        "checkpoint/config.json:37: error[LP301] layer-plan-mismatch: "
        "config.json says linear attention where the checkpoint holds full attention\n"
    )
    assert render_concise(report(verdict="loads")) == ""


def test_concise_has_a_line_for_rows_that_nothing_explains() -> None:
    line = render_concise(report(unexplained=ROWS)).splitlines()
    assert len(line) == 1
    assert line[0].startswith("checkpoint: unexplained: ")
    assert "loads-wrong" in line[0]


def test_concise_falls_back_to_the_checkpoint_and_knows_single_files() -> None:
    elsewhere = replace(PLAN_FINDING, evidence=(Evidence(Place("modeling_x.py", 3), "x"),))
    assert render_concise(report(elsewhere)).startswith("checkpoint: error[LP301]")
    single = Inventory("dir/m.safetensors", (FileInfo("m.safetensors", 9, "safetensors"),), (), (), "m.safetensors")
    inside = replace(PLAN_FINDING, evidence=(Evidence(Place("m.safetensors"), "x"),))
    assert render_concise(report(inside, inventory=single)).startswith("dir/m.safetensors: error[LP301]")


def test_concise_never_starts_a_workflow_command() -> None:
    evidence = (Evidence(Place("::set-output"), "x"),)
    finding = Finding("LP011", "hostile-name", "error", "certain", "x\n::error::y", evidence)
    inventory = Inventory("::add-mask::x", FILES)
    text = render_concise(report(finding, inventory=inventory))
    assert text == "\\x3a:add-mask::x: error[LP011] hostile-name: x\\x0a::error::y\n"
