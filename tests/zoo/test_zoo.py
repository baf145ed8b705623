"""The zoo itself: layouts build, mutations compose, and what is written is what safetensors reads."""

import json

import pytest

from tests import zoo


def test_every_layout_builds_with_distinct_tensors() -> None:
    assert len(zoo.names()) >= 30
    for name in zoo.names():
        made = zoo.build(name)
        assert len(made.tensors) > 20, name
        assert made.config is not None


@pytest.mark.torch
def test_written_file_reads_back_with_the_official_reader(tmp_path) -> None:
    safetensors = pytest.importorskip("safetensors")
    made = zoo.build("llama").mutate(zoo.shards(3), zoo.flatten("lm_head.weight"))
    made.write(tmp_path)
    index = json.loads((tmp_path / "model.safetensors.index.json").read_text())["weight_map"]
    assert set(index) == set(made.tensors)
    for name, file in index.items():
        with safetensors.safe_open(tmp_path / file, framework="pt") as opened:
            assert opened.get_tensor(name).shape == made.tensors[name].shape


def test_mutation_text_equals_the_call() -> None:
    base = zoo.build("llama")
    assert base.mutate(zoo.mutation('flatten("lm_head.weight")')) == base.mutate(zoo.flatten("lm_head.weight"))


def test_a_mutation_that_touches_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no tensor matches"):
        zoo.build("llama").mutate(zoo.flatten("nothing.*"))


def test_fsdp1_lengths_add_up_over_the_ranks() -> None:
    names = ["model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"]
    base = zoo.build("llama")
    for name in names:
        cuts = [base.mutate(zoo.fsdp1_slices(names, rank, 4)).tensors[name].shape[0] for rank in range(4)]
        height, *width = base.tensors[name].shape
        assert sum(cuts) == height * (width[0] if width else 1)
