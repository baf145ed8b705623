from __future__ import annotations

from loadproof.core.results import Renaming, Role
from loadproof.rules.evidence.name_comparison import find_renamings, role_of, roles
from tests import zoo
from tests.rules.build import families


def stored(layout: str, *mutations: str):
    made = zoo.build(layout).mutate(*map(zoo.mutation, mutations))
    return families({name: (tensor.dtype, tensor.shape) for name, tensor in made.tensors.items()})


def only(these, those):
    return [family for family in these if family not in those]


def test_a_prefix_put_before_every_name_is_one_renaming() -> None:
    renamings, left, right = find_renamings(stored("llama"), stored("llama", 'add_prefix("module.")'))
    assert renamings == [Renaming("", "module.", 57)]
    assert left == right == []


def test_parts_renamed_differently_are_told_apart() -> None:
    first = stored("qwen3_5")
    other = stored("qwen3_5", 'rename("model.visual", "visual")', 'rename("model.language_model", "model")')
    renamings, left, right = find_renamings(only(first, other), only(other, first))
    assert {(one.first, one.second) for one in renamings} == {
        ("model.language_model.", "model."),
        ("model.visual.", "visual."),
    }
    assert left == right == []


def test_another_shape_is_no_renaming() -> None:
    other = stored("llama", 'add_prefix("module.")', 'pad_rows("module.lm_head.weight", 8)')
    renamings, left, right = find_renamings(stored("llama"), other)
    assert [one.names for one in renamings] == [56]
    assert [family.template for family in left] == ["lm_head.weight"]
    assert [family.template for family in right] == ["module.lm_head.weight"]


def test_roles_follow_the_names() -> None:
    assert role_of("model.layers.{}.mlp.experts.{}.up_proj.weight") == "experts"
    assert role_of("model.layers.{}.linear_attn.conv1d.weight") == "linear mixer"
    assert role_of("model.layers.{}.self_attn.q_norm.weight") == "norms"
    assert role_of("model.visual.blocks.{}.attn.qkv.weight") == "vision or audio"
    assert role_of("lm_head.weight") == "head"
    assert role_of("something.weight") == "other"


def test_roles_are_counted_on_both_sides() -> None:
    counted = roles(stored("llama"), stored("llama", 'drop("lm_head.weight")'))
    assert Role("head", 1, 0) in counted
    assert Role("attention", 24, 24) in counted
