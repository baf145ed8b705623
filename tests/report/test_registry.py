"""Every kind of result in every format that it has, through the command and through the result itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import loadproof
from loadproof.api.pages import page, rules
from loadproof.cli.main import main
from loadproof.core.results import Checked, Checks
from loadproof.core.shown import Shown
from loadproof.report.registry import formats, kinds, render, renderer
from tests.report.schemas import closed
from tests.zoo import build

EXAMPLE = Path(__file__).parents[2] / "examples" / "layer-plan-mismatch"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A checkpoint whose config plans one layer otherwise than its tensors are."""
    folder = Path(tmp_path, "broken")
    folder.mkdir()
    for file in EXAMPLE.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


@pytest.fixture
def healthy(tmp_path: Path) -> Path:
    return build("llama").write(tmp_path / "healthy")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    status = main([str(argument) for argument in arguments])
    return status, capsys.readouterr().out


def valid(text: str, schema: str = "results") -> Any:
    document = json.loads(text)
    closed(schema).validate(document)
    return document


def test_every_entry_of_the_table_leads_to_a_function_and_every_kind_has_text_and_json() -> None:
    for kind in kinds():
        assert {"text", "json"} <= set(formats(kind)), kind
        assert all(callable(renderer(kind, form)) for form in formats(kind))


@pytest.mark.parametrize("kind", ["check", "checks"])
@pytest.mark.parametrize("folder", ["broken", "healthy"])
def test_every_format_of_a_check_takes_every_look_and_keeps_its_lines(
    kind: str, folder: str, request: pytest.FixtureRequest
) -> None:
    """Whatever the commands say about the look, and names that a terminal would obey."""
    report = loadproof.check(request.getfixturevalue(folder))
    inventory = structs.replace(report.case.inventory, location="x\x1b[31m\n::error::y\u202e")
    report = structs.replace(report, case=structs.replace(report.case, inventory=inventory))
    result = report if kind == "check" else Checks((Checked("x", report, status=1),))
    look = {"verbose": True, "quiet": False, "color": False, "width": 80, "given": (), "status": 1, "fail_on": "error"}
    for form in formats(kind):
        text = render(result, form, pages={}, **look)
        assert text[-1:] in ("", "\n"), form
        assert not set("\x1b\u202e") & set(text), form


def test_a_format_that_a_kind_does_not_have_is_named() -> None:
    with pytest.raises(ValueError, match="no format 'sarif' for 'plan'; there are: text, concise, json"):
        renderer("plan", "sarif")


def test_a_plan_in_every_format(capsys: pytest.CaptureFixture[str], broken: Path) -> None:
    status, text = printed(capsys, "plan", broken)
    assert (status, "result   1 of 24 layers differs: 20" in text) == (1, True)
    status, line = printed(capsys, "plan", broken, "--format", "concise")
    assert status == 1
    assert line.startswith(f"{broken}: 1 of 24 layers differs: 20; config LLLF")
    status, document = printed(capsys, "plan", broken, "--format", "json")
    data = valid(document)
    assert (status, data["kind"], data["same"], data["differs"]) == (1, "plan", False, [20])
    assert (data["config"]["file"], data["config"]["field"]) == ("config.json", "text_config.layer_types")
    assert data["config"]["line"] > 1
    assert data["tensors"]["words"][20] == "full_attention"


def test_a_difference_in_every_format(capsys: pytest.CaptureFixture[str], broken: Path, healthy: Path) -> None:
    status, document = printed(capsys, "diff", broken, healthy, "--format", "json")
    data = valid(document)
    assert (status, data["kind"], data["same"]) == (1, "diff", False)
    assert {"config": "second", "weights": "second", "fits": True, "inconclusive": None, "rows": {}} in data["fits"]
    assert "model.embed_tokens.weight" in data["only_second"]
    status, lines = printed(capsys, "diff", broken, healthy, "--format", "concise")
    assert status == 1
    assert any(line.startswith("config: ") for line in lines.splitlines())
    assert printed(capsys, "diff", healthy, healthy, "--format", "concise") == (0, "")
    status, document = printed(capsys, "diff", healthy, healthy, "--format", "json")
    assert (status, valid(document)["same"]) == (0, True)


def test_a_repair_in_every_format_and_its_undo(capsys: pytest.CaptureFixture[str], broken: Path) -> None:
    status, document = printed(capsys, "fix", broken, "--format", "json")
    planned = valid(document)
    assert (status, planned["before"], planned["applied"], planned["after"]) == (0, "loads-wrong", None, None)
    assert [choice["code"] for choice in planned["choices"]] == ["LP301"]
    assert planned["changes"][0]["file"] == "config.json"
    status, line = printed(capsys, "fix", broken, "--format", "concise")
    assert line.startswith(f"{broken}: planned[LP301] layer-plan-mismatch: set text_config.layer_types[20]")
    status, document = printed(capsys, "fix", broken, "--apply", "--format", "json")
    done = valid(document)
    assert (status, done["after"], done["applied"]["files"]) == (0, "loads", ["config.json"])
    status, document = printed(capsys, "undo", broken, "--format", "json")
    assert (status, valid(document)["files"]) == (0, ["config.json"])
    status, document = printed(capsys, "undo", broken, "--forget", "--format", "json")
    assert (status, valid(document)["removed"]) == (0, [])


def test_pages_and_the_list_of_rules_are_described(capsys: pytest.CaptureFixture[str]) -> None:
    listed = valid(printed(capsys, "rules", "--format", "json")[1])
    assert len(listed) > 80
    for rule in listed:
        shown = page(rule["code"])
        assert shown is not None
        assert valid(shown.to_json()) == shown.to_dict()
    assert rules().to_dict() == {"rules": listed}


def test_a_page_says_which_formats_it_has(capsys: pytest.CaptureFixture[str]) -> None:
    status = main(["explain", "LP301", "--format", "concise"])
    assert status == 2
    assert "the page of LP301 has no format 'concise'; there are: text, json" in capsys.readouterr().err


def test_causes_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    status, lines = printed(
        capsys, "explain", "KeyError: 'model.layers.20.linear_attn.in_proj_qkv.weight'", "--format", "concise"
    )
    assert status == 0
    assert all(line.startswith("text: ") and "[LP" in line for line in lines.splitlines())


def results(broken: Path, healthy: Path) -> list[Shown]:
    return [
        loadproof.check(broken),
        loadproof.plan(broken),
        loadproof.diff(broken, healthy),
        loadproof.fix(broken),
        loadproof.explain("KeyError: 'model.layers.20.linear_attn'"),
    ]


def test_results_print_short_and_give_themselves_whole(broken: Path, healthy: Path) -> None:
    for result in results(broken, healthy):
        assert len(repr(result)) < 300
        assert repr(result) == str(result)
        assert "\n" not in repr(result)
        for form in formats(result.kind):
            assert render(result, form).endswith("\n")
        assert result.text() == render(result, "text")
        assert json.loads(result.to_json()) == result.to_dict()
    report = loadproof.check(broken)
    assert repr(report).startswith("<Report loads-wrong: errors 1, warnings 0; ")
    assert repr(report.findings[0]).startswith("<Finding error[LP301] layer-plan-mismatch: ")
    valid(report.to_json(), "report")


def test_a_name_from_a_file_cannot_reach_the_terminal_through_repr(tmp_path: Path) -> None:
    folder = build("llama").write(tmp_path / "a\x1b[2Jb")
    finding = loadproof.Finding("LP011", "hostile-name", "error", "certain", "x\x1b[2J\u202e")
    for shown in (repr(loadproof.check(folder)), repr(loadproof.plan(folder)), repr(finding)):
        assert shown.isprintable()
        assert "\\x1b[2J" in shown


def test_the_text_of_a_result_is_what_the_command_prints(
    capsys: pytest.CaptureFixture[str], broken: Path, healthy: Path
) -> None:
    assert printed(capsys, "plan", broken)[1] == loadproof.plan(broken).text()
    assert printed(capsys, "diff", broken, healthy)[1] == loadproof.diff(broken, healthy).text()
    assert printed(capsys, "explain", "LP301")[1] == (page("LP301") or rules()).text()


def test_a_release_that_is_not_there_leaves_the_plan_open(capsys: pytest.CaptureFixture[str], broken: Path) -> None:
    status, text = printed(capsys, "plan", broken, "--reader", "transformers@4.40.0")
    assert status == 3
    assert "inconclusive: the source found is transformers" in text
    assert "asked for was 4.40.0" in text
    data = valid(printed(capsys, "plan", broken, "--reader", "transformers@4.40.0", "--format", "json")[1])
    assert (data["same"], data["config"]) == (None, None)
    assert "4.40.0" in data["inconclusive"]


def test_the_installed_release_by_its_number_answers_as_without(
    capsys: pytest.CaptureFixture[str], broken: Path
) -> None:
    version = loadproof.check(broken).case.expectation.version
    assert printed(capsys, "plan", broken, "--reader", f"transformers@{version}") == printed(capsys, "plan", broken)
