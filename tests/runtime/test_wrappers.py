"""PEFT, bitsandbytes, torch.compile, DDP-like wrappers: seen through, judged by what they really hold."""

import pytest
import torch
from torch import nn

from loadproof.runtime import HeadFault, HeadSpec, check_logits_head, diagnose, ensure_lm_head_2d, guard
from tests.runtime.models import HIDDEN, VOCAB, flatten, generate, llama, logits

pytestmark = pytest.mark.torch


def lora(model, **options):
    from peft import LoraConfig, get_peft_model

    return get_peft_model(model, LoraConfig(r=2, target_modules=["q_proj"], task_type="CAUSAL_LM", **options)).eval()


def test_peft_unmerged_generates_through_the_guard():
    model = lora(llama(tied=False))
    with guard(model):
        generate(model)
        flatten(model.base_model.model.lm_head.weight)
        with pytest.raises(HeadFault):
            generate(model)


def test_peft_merged_is_an_ordinary_model():
    model = lora(llama(tied=False)).merge_and_unload()
    before = logits(model)
    flatten(model.lm_head.weight)
    ensure_lm_head_2d(model)
    assert torch.equal(logits(model), before)


def test_peft_modules_to_save_head_is_the_one_that_is_judged():
    model = lora(llama(tied=False), modules_to_save=["lm_head"])
    assert HeadSpec.from_model(model) == HeadSpec(VOCAB, HIDDEN)
    check_logits_head(model)
    wrapper = model.base_model.model.lm_head
    wrapper.original_module.weight.data = wrapper.original_module.weight.data.view(-1)
    check_logits_head(model)  # not in use
    before = wrapper.modules_to_save["default"].weight.data.clone()
    flatten(wrapper.modules_to_save["default"].weight)
    with pytest.raises(HeadFault):
        check_logits_head(model)
    ensure_lm_head_2d(model)
    assert torch.equal(wrapper.modules_to_save["default"].weight, before)


def test_peft_lora_on_the_head_is_judged_by_its_base_layer():
    from peft import LoraConfig, get_peft_model

    model = get_peft_model(llama(tied=False), LoraConfig(r=2, target_modules=["lm_head"])).eval()
    check_logits_head(model)
    flatten(model.base_model.model.lm_head.base_layer.weight)
    with pytest.raises(HeadFault):
        check_logits_head(model)


def test_compiled_and_data_parallel_wrappers_are_seen_through():
    model = llama()
    for wrapped in (torch.compile(model, backend="eager"), nn.DataParallel(model)):
        report = diagnose(wrapped)
        assert report.verdict == "loads"
        assert report.case.live.class_name == "LlamaForCausalLM"
        assert len(report.case.live.wrappers) == 1


def test_packed_4bit_head_is_in_order_and_flattening_it_is_harmless():
    bnb = pytest.importorskip("bitsandbytes")
    model = llama(tied=False)
    dense = model.lm_head.weight.data.clone()
    head = bnb.nn.Linear4bit(HIDDEN, VOCAB, bias=False, quant_type="nf4", compute_dtype=torch.float32)
    head.weight = bnb.nn.Params4bit(dense, requires_grad=False, quant_type="nf4")
    model.lm_head = head.to("cpu")
    assert tuple(model.lm_head.weight.shape) == (VOCAB * HIDDEN // 2, 1)
    check_logits_head(model)
    HeadSpec(VOCAB, HIDDEN).assert_2d(model.lm_head.weight)
    ensure_lm_head_2d(model)
    assert tuple(model.lm_head.weight.shape) == (VOCAB * HIDDEN // 2, 1)
    assert diagnose(model).verdict == "loads"
    with guard(model):
        generate(model)


def test_int8_head_keeps_its_shape_and_is_in_order():
    bnb = pytest.importorskip("bitsandbytes")
    model = llama(tied=False)
    head = bnb.nn.Linear8bitLt(HIDDEN, VOCAB, bias=False, has_fp16_weights=False)
    head.weight = bnb.nn.Int8Params(model.lm_head.weight.data.clone(), requires_grad=False, has_fp16_weights=False)
    model.lm_head = head.to("cpu")
    check_logits_head(model)


def test_sequential_head_is_judged_by_its_linear():
    model = llama(tied=False)
    model.lm_head = nn.Sequential(nn.Linear(HIDDEN, VOCAB, bias=False))
    check_logits_head(model)
    flatten(model.lm_head[0].weight)
    with pytest.raises(HeadFault):
        check_logits_head(model)
    ensure_lm_head_2d(model)
    assert tuple(model.lm_head[0].weight.shape) == (VOCAB, HIDDEN)
