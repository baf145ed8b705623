"""Policy files: what each key may hold, and what is said of one that means nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadproof.policy.layers import Layer, PolicyError, default_layer, settle
from loadproof.policy.lines import lines_of
from loadproof.policy.read import read_policy
from loadproof.policy.scope import concerns


def written(folder: Path, text: str, name: str = "loadproof.toml") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_both_files_hold_the_same_keys(tmp_path: Path) -> None:
    body = (
        'fail-on = "warning"\nignore = ["LP3", "shard-missing"]\nseverity = { LP401 = "info" }\nfollow-links = false\n'
    )
    own = read_policy(written(tmp_path, body))
    project = read_policy(written(tmp_path, f"[tool.loadproof]\n{body}[tool.other]\nx = 1\n", "pyproject.toml"))
    assert own[0].values == project[0].values
    assert own[0].values["ignore"] == ("LP3", "shard-missing")
    assert own[0].origins["fail-on"] == f"{tmp_path}/loadproof.toml:1"
    assert project[0].origins["fail-on"] == f"{tmp_path}/pyproject.toml:2"


def test_paths_are_seen_from_the_folder_of_the_file(tmp_path: Path) -> None:
    layer = read_policy(written(tmp_path, 'baseline = "b.json"\nsource = "/abs"\n'))[0]
    assert layer.values == {"baseline": f"{tmp_path}/b.json", "source": "/abs"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('fail_on = "error"', "loadproof.toml:1: unknown key 'fail_on'; did you mean 'fail-on'?"),
        ("zzz = 1", "loadproof.toml:1: unknown key 'zzz'; there are: reader, source, class"),
        ('\nfail-on = "fatal"', "loadproof.toml:2: fail-on is 'fatal', expected one of: error, warning, info, never"),
        ("fail-on = 3", "fail-on is 3, expected one of"),
        ('allow-inconclusive = "yes"', "allow-inconclusive is 'yes', expected true or false"),
        ('ignore = "LP301"', "ignore is 'LP301', expected a list of codes"),
        ("ignore = [3]", "ignore is [3], expected a list of codes"),
        ('ignore = ["LP999"]', "there is no code or slug 'LP999'"),
        ('ignore = ["layer-plan-mismach"]', "did you mean 'layer-plan-mismatch'?"),
        ('select = ["LP"]', "there is no code or slug 'LP'"),
        ('severity = { LP301 = "fatal" }', "expected a table of codes"),
        ('severity = { LPX = "info" }', "there is no code or slug 'LPX'"),
        ('reader = ""', "reader is '', expected a text"),
        ('device = "gpu9"', "device is 'gpu9', expected a device, e.g. cpu"),
        ("fail-on = ", "this is no TOML: "),
        ("x = " + "[" * 5_000, "this is no TOML: "),
        ("x = " + "1" * 5_000, "this is no TOML: "),
        ("fail-on = 0x" + "f" * 5_000, "fail-on is an integer of too many digits, expected one of"),
        ("ignore = [0x" + "f" * 5_000 + "]", "ignore is an integer of too many digits, expected a list of codes"),
        (".".join("a" * 400_000) + " = 1", "this is no TOML: line 1 has more than 200 dots outside of quotes"),
        (".".join(['"a"'] * 200_000) + " = 1", "this is no TOML: line 1 has more than 200 dots outside of quotes"),
        ("overrides = 3", "overrides is no list of tables"),
        ("[[overrides]]\nignore = []", 'loadproof.toml:1: an override needs paths = ["runs/old/*", ...]'),
        ('[[overrides]]\npaths = ["a"]\nbaseline = "x"', "loadproof.toml:3: unknown key 'baseline'"),
        ('[[overrides]]\npaths = ["a"]\n[[overrides]]\npaths = []', "loadproof.toml:3: an override needs paths"),
    ],
)
def test_what_means_nothing_is_named_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        read_policy(written(tmp_path, text))
    assert said in str(caught.value)


@pytest.mark.parametrize(("content", "said"), [(b"\xff", "no UTF-8"), (b"#" * 2_000_000, "more than 1,048,576 bytes")])
def test_a_file_that_is_no_text_or_endless_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "loadproof.toml").write_bytes(content)
    with pytest.raises(PolicyError, match=said):
        read_policy(str(tmp_path / "loadproof.toml"))


def test_later_layers_stand_above_and_ignore_and_severity_add_up(tmp_path: Path) -> None:
    text = 'ignore = ["LP301"]\nfail-on = "info"\nselect = ["LP3"]\n[[overrides]]\npaths = ["x"]\nignore = ["LP401"]\nselect = []\n'
    settled = settle([default_layer(), *read_policy(written(tmp_path, text))])
    assert settled["ignore"].value == ("LP301", "LP401")
    assert settled["ignore"].origin == f"{tmp_path}/loadproof.toml:1, {tmp_path}/loadproof.toml:6"
    assert settled["select"].value == ()
    assert settled["fail-on"].value == "info"
    assert settled["reader"].origin == "default"


@pytest.mark.parametrize(
    ("pattern", "target", "holds"),
    [
        ("runs/old", "runs/old", True),
        ("runs/old", "runs/old/checkpoint-1", True),
        ("runs/old/", "runs/old/checkpoint-1", True),
        ("runs/*", "runs/new", True),
        ("*/checkpoint-1", "runs/checkpoint-1", True),
        ("runs/old", "runs/older", False),
        ("runs/old", "old", False),
        ("checkpoint-1", "runs/checkpoint-1", False),
    ],
)
def test_an_override_holds_for_what_its_patterns_name_and_below(
    tmp_path: Path, pattern: str, target: str, holds: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer = Layer({}, paths=(pattern,))
    assert concerns(layer, str(tmp_path / target), str(tmp_path)) is holds
    monkeypatch.chdir(tmp_path)
    assert concerns(layer, target, "") is holds
    assert concerns(Layer({}), target, "")


def test_lines_of_keys_and_tables() -> None:
    text = "a = 1\n[t.u] # x\n'b c' = 2\n\"d\" = 3\n[[o]]\ne = 1\n[[o]]\nf.g = 2\n"
    assert lines_of(text) == {
        ("a",): 1,
        ("t", "u"): 2,
        ("t", "u", "b c"): 3,
        ("t", "u", "d"): 4,
        ("o", 0): 5,
        ("o", 0, "e"): 6,
        ("o", 1): 7,
        ("o", 1, "f"): 8,
    }


def test_dots_inside_of_quotes_are_no_parts_of_a_key(tmp_path: Path) -> None:
    needs = ", ".join(["'a>=1.2.3'"] * 200)
    text = f'[project]\ndependencies = [{needs}]\n[tool.loadproof]\nfail-on = "warning"\n'
    assert read_policy(written(tmp_path, text, "pyproject.toml"))[0].values == {"fail-on": "warning"}
