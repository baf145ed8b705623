"""`diff`: what differs, what was only renamed, and which config fits which weights."""

from __future__ import annotations

from pathlib import Path

from loadproof.api.comparing import diff
from loadproof.core.results import DiffReport, FieldChange, Renaming, Role
from loadproof.report.diff_text import render_diff
from tests import zoo


def compared(folder: Path, layout: str, *mutations: str) -> DiffReport:
    first = zoo.build(layout).write(folder / "a")
    second = zoo.build(layout).mutate(*map(zoo.mutation, mutations)).write(folder / "b")
    return diff(first, second)


def test_two_equal_checkpoints_differ_in_nothing(tmp_path: Path) -> None:
    report = compared(tmp_path, "llama", "shards(2)")
    assert report.same
    assert "no difference" in render_diff(report)


def test_a_wrapped_save_is_one_renaming_and_no_list_of_names(tmp_path: Path) -> None:
    report = compared(tmp_path, "llama", 'add_prefix("_orig_mod.")')
    assert report.renamed == (Renaming("", "_orig_mod.", 57),)
    assert report.only_first == report.only_second == ()
    assert not report.same
    assert "57 tensors: '' in A is '_orig_mod.' in B" in render_diff(report)


def test_lost_tensors_are_named_by_family_and_by_role(tmp_path: Path) -> None:
    report = compared(tmp_path, "qwen3", 'drop("*.q_norm.weight")')
    assert report.only_first == (("model.layers.{}.self_attn.q_norm.weight", ((0, 1, 2, 3, 4, 5),)),)
    assert report.roles == (Role("norms", 25, 19),)


def test_the_config_that_fits_is_found_whichever_side_it_lies_on(tmp_path: Path) -> None:
    report = compared(tmp_path, "llama", 'set_config("num_key_value_heads", 6)')
    assert report.config == (FieldChange(("num_key_value_heads",), 3, 6),)
    assert [(fit.config, fit.weights, fit.fits) for fit in report.fits] == [
        (0, 0, True),
        (0, 1, True),
        (1, 0, False),
        (1, 1, False),
    ]


def test_the_plans_of_both_sides_are_shown_where_they_differ(tmp_path: Path) -> None:
    report = compared(tmp_path, "qwen3_next", 'set_config("layer_types[1]", "full_attention")')
    text = render_diff(report)
    assert "plan of config" in text
    assert "plan of tensors" not in text
    assert "layer_types[1]" in text
