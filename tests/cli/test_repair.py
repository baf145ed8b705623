"""``fix``, ``undo`` and ``diff`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

from tests import zoo
from tests.cli.process import EXAMPLES, copy_of, run


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_fix_is_a_dry_run_that_says_what_it_would_do(tmp_path: Path) -> None:
    folder = copy_of("head-flattened", tmp_path)
    before = contents(folder)
    result = run("fix", str(folder))
    assert result.returncode == 0
    assert "LP201 head-flattened" in result.stdout
    assert "~ lm_head.weight  [8192] -> [256, 32]" in result.stdout
    assert f"loadproof fix {folder} LP201 --apply" in result.stdout
    assert contents(folder) == before


def test_fix_apply_mends_and_undo_restores_every_byte(tmp_path: Path) -> None:
    folder = copy_of("layer-plan-mismatch", tmp_path)
    before = contents(folder)
    result = run("fix", str(folder), "layer-plan-mismatch", "--apply")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "verdict  loads: " in result.stdout
    assert "(it was: loads-wrong)" in result.stdout
    assert run("check", str(folder)).returncode == 0
    undone = run("undo", str(folder))
    assert undone.returncode == 0
    assert "config.json" in undone.stdout
    assert contents(folder) == before


def test_fix_out_leaves_the_original_alone(tmp_path: Path) -> None:
    folder, copy = copy_of("wrapper-prefix", tmp_path), tmp_path / "fixed"
    before = contents(folder)
    result = run("fix", str(folder), "--out", str(copy))
    assert result.returncode == 0, result.stdout + result.stderr
    assert run("check", str(copy)).returncode == 0
    assert contents(folder) == before


def test_nothing_to_mend_is_success() -> None:
    result = run("fix", "examples/healthy")
    assert result.returncode == 0
    assert result.stdout == "nothing to fix\n"


def test_no_known_repair_is_not_success(tmp_path: Path) -> None:
    folder = copy_of("healthy", tmp_path)
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes().replace(b"layers.2.mlp.up_proj.weight", b"layers.2.mlp.qq_proj.weight"))
    result = run("fix", str(folder))
    assert result.returncode == 1
    assert result.stdout.startswith("no repair is known; loads-wrong: 1 of 39 parameters stays random")


def test_what_cannot_be_mended_is_said_and_exits_1(tmp_path: Path) -> None:
    folder = copy_of("healthy", tmp_path)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-10])
    result = run("fix", str(folder))
    assert result.returncode == 1
    assert "   = not fixed: fetch the missing bytes of model.safetensors" in result.stdout
    assert "--apply" not in result.stdout


def test_infos_are_left_out_of_a_plain_fix_which_says_how_to_ask_for_them(tmp_path: Path) -> None:
    folder = str(zoo.build("mixtral").write(tmp_path / "m"))
    result = run("fix", folder)
    assert result.returncode == 0
    assert result.stdout.startswith(
        "nothing to fix\nleft as they are, since they do no harm:\n  LP703 config-dialect: "
    )
    assert result.stdout.endswith(f"   = to fix these too: loadproof fix {folder} LP703\n")
    assert json.loads(run("fix", folder, "--format", "json").stdout)["left"] == ["LP703"]
    named = run("fix", folder, "LP703")
    assert "left as they are" not in named.stdout
    assert "LP703 --apply" in named.stdout


def test_a_warning_that_no_edit_removes_fails_only_where_it_was_named(tmp_path: Path) -> None:
    folder = (
        zoo.build("llama").mutate(zoo.mutation("extra_file('added_tokens.json', {'<a>': 160})")).write(tmp_path / "m")
    )
    assert run("check", str(folder)).returncode == 0
    warned = run("fix", str(folder))
    assert "LP208 vocab-tokenizer" in warned.stdout
    assert "not fixed" in warned.stdout
    assert warned.returncode == 0
    assert run("fix", str(folder), "LP208").returncode == 1


def test_a_checkpoint_in_order_is_copied_when_a_copy_is_asked_for(tmp_path: Path) -> None:
    result = run("fix", "examples/healthy", "--out", str(tmp_path / "copy"))
    assert result.returncode == 0
    assert result.stdout.startswith("nothing to fix\n")
    assert contents(tmp_path / "copy") == contents(EXAMPLES / "healthy")


def test_fix_and_undo_refuse_in_one_line(tmp_path: Path) -> None:
    folder = copy_of("healthy", tmp_path)
    nothing = run("undo", str(folder))
    assert (nothing.returncode, nothing.stderr) == (1, "loadproof: there is no repair to undo here\n")
    unknown = run("fix", str(folder), "LP201")
    assert unknown.returncode == 2
    assert "LP201: no such finding in " in unknown.stderr
    absent = run("undo", str(tmp_path / "nowhere"))
    assert absent.returncode == 2
    assert absent.stderr.count("\n") == 1


def test_diff_says_which_config_fits_which_weights() -> None:
    result = run("diff", "examples/healthy", "examples/config-dims-wrong")
    assert result.returncode == 1
    assert "config A with weights B   fits\n" in result.stdout
    assert "config B with weights A   does not fit: 8 mismatched\n" in result.stdout
    assert "config   num_key_value_heads: 2 -> 4\n" in result.stdout
    assert "result   1 config field\n" in result.stdout


def test_diff_lists_names_shapes_and_plans(tmp_path: Path) -> None:
    result = run("diff", "examples/healthy", "examples/wrapper-prefix")
    assert "renamed  39 tensors: '' in A is 'module.' in B\n" in result.stdout
    assert "result   39 names renamed\n" in result.stdout
    shapes = run("diff", "examples/healthy", "examples/head-flattened")
    assert "differs  lm_head.weight  [256, 32] -> [8192]\n" in shapes.stdout


def test_nothing_differs_between_a_checkpoint_and_its_copy(tmp_path: Path) -> None:
    result = run("diff", str(EXAMPLES / "healthy"), str(copy_of("healthy", tmp_path)))
    assert result.returncode == 0
    assert "result   no difference" in result.stdout
