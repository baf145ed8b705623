"""load_checkpoint into live models: everything is compared before the first byte is copied."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from loadproof.runtime import LayerPlan, LayerPlanError, LoadError, load_checkpoint
from tests.runtime.models import flatten, llama, logits

pytestmark = pytest.mark.torch


@pytest.fixture
def saved(tmp_path):
    model = llama(tied=False, seed=1)
    model.save_pretrained(tmp_path, max_shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    return model, tmp_path


def test_shards_are_streamed_into_the_model_bitwise(saved):
    source, folder = saved
    target = llama(tied=False, seed=2)
    parameters = [id(p) for p in target.parameters()]
    result = load_checkpoint(target, folder, progress=False)
    assert torch.equal(logits(target), logits(source))
    assert [id(p) for p in target.parameters()] == parameters
    assert len(result.loaded) == len(source.state_dict())
    assert result.missing == result.unexpected == ()


def test_ties_stay_and_count_once(tmp_path):
    source = llama(tied=True, seed=1)
    source.save_pretrained(tmp_path)
    target = llama(tied=True, seed=2)
    result = load_checkpoint(target, tmp_path)
    assert target.lm_head.weight is target.model.embed_tokens.weight
    assert "lm_head.weight" not in result.loaded
    assert torch.equal(logits(target), logits(source))


def damage(folder, change):
    shard = sorted(folder.glob("*.safetensors"))[0]
    tensors = change(load_file(shard))
    save_file(tensors, shard, metadata={"format": "pt"})
    index_path = folder / "model.safetensors.index.json"
    index = json.loads(index_path.read_text())
    kept = {n: f for n, f in index["weight_map"].items() if f != shard.name}
    index["weight_map"] = kept | dict.fromkeys(tensors, shard.name)
    index_path.write_text(json.dumps(index))


def test_nothing_is_copied_when_a_shape_differs(saved):
    _, folder = saved
    damage(folder, lambda t: {n: v.flatten() if v.dim() == 2 else v for n, v in t.items()})
    target = llama(tied=False, seed=2)
    before = logits(target)
    with pytest.raises(LoadError, match="nothing was copied") as error:
        load_checkpoint(target, folder)
    assert "the model has [" in str(error.value)
    assert torch.equal(logits(target), before)


def test_all_missing_and_foreign_names_come_in_one_error(saved):
    _, folder = saved
    damage(folder, lambda t: {"foreign." + n: v for n, v in t.items()})
    target = llama(tied=False, seed=2)
    with pytest.raises(LoadError) as error:
        load_checkpoint(target, folder)
    assert "not stored" in str(error.value)
    assert "not in the model" in str(error.value)
    result = load_checkpoint(target, folder, strict=False)
    assert result.missing
    assert result.unexpected


def test_a_plan_that_disagrees_stops_first(saved):
    _, folder = saved
    with pytest.raises(LayerPlanError, match="layer"):
        load_checkpoint(llama(tied=False), folder, plan=LayerPlan({1}, 2))
    load_checkpoint(llama(tied=False), folder, plan=LayerPlan(set(), 2))


def test_a_truncated_shard_is_refused_before_copying(saved):
    _, folder = saved
    shard = sorted(folder.glob("*.safetensors"))[-1]
    shard.write_bytes(shard.read_bytes()[:-8])
    with pytest.raises(LoadError, match=r"LP00"):
        load_checkpoint(llama(tied=False), folder)


def test_a_flattened_live_parameter_is_named(saved):
    _, folder = saved
    target = llama(tied=False)
    flatten(target.lm_head.weight)
    with pytest.raises(LoadError, match=r"lm_head\.weight"):
        load_checkpoint(target, folder)


def test_a_folder_without_weights_says_so(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises((LoadError, FileNotFoundError)):
        load_checkpoint(llama(), tmp_path)
    with pytest.raises(FileNotFoundError):
        load_checkpoint(llama(), tmp_path / "absent")
