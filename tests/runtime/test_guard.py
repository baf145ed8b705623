"""The guard at every entry of generate(), on real models."""

import copy
import inspect
import pickle
import threading

import pytest
import torch
from torch import nn

from loadproof.runtime import HeadFault, check_logits_head, guard
from tests.runtime.models import IDS, flatten, generate, llama, logits, t5

pytestmark = pytest.mark.torch


def test_healthy_model_generates_as_before():
    model = llama()
    plain = generate(model)
    with guard(model) as guarded:
        assert guarded is model
        assert torch.equal(generate(model), plain)
    assert "generate" not in model.__dict__


def test_attaching_checks_at_once():
    model = llama()
    flatten(model.lm_head.weight)
    with pytest.raises(HeadFault, match="LP901"):
        guard(model).attach()
    assert "generate" not in model.__dict__


def test_damage_after_attaching_is_caught_at_the_entry_of_generate():
    model = llama()
    with guard(model):
        flatten(model.lm_head.weight)
        with pytest.raises(HeadFault, match="What to do"):
            generate(model)


def test_without_the_guard_torch_says_only_this():
    model = llama()
    flatten(model.lm_head.weight)
    with pytest.raises(RuntimeError, match="'weight' must be 2-D"):
        generate(model)


def test_repair_keeps_logits_bitwise():
    model = llama()
    before = logits(model)
    with guard(model, on_fault="repair"):
        flatten(model.lm_head.weight)
        generate(model)
    assert torch.equal(logits(model), before)


def test_repair_refuses_what_is_not_provable():
    model = llama(tied=False)
    with guard(model, on_fault="repair"):
        model.lm_head.weight = nn.Parameter(model.lm_head.weight.data[:32].clone())
        with pytest.raises(HeadFault, match="LP905"):
            generate(model)


def test_warn_only_warns():
    model = llama(tied=False)
    with guard(model, on_fault="warn"):
        model.lm_head.weight = nn.Parameter(model.lm_head.weight.data[:32].clone())
        with pytest.warns(UserWarning, match="LP905"):
            generate(model)


def test_two_guards_and_two_attachments_leave_nothing_behind():
    model = llama()
    first, second = guard(model), guard(model)
    first.attach().attach()
    second.attach()
    first.detach()
    assert "generate" in model.__dict__
    first.detach()
    second.detach()
    assert "generate" not in model.__dict__


def test_an_own_generate_of_the_instance_is_kept():
    model = llama()
    model.generate = lambda ids: ids + 1
    with guard(model):
        assert torch.equal(model.generate(IDS), IDS + 1)
        flatten(model.lm_head.weight)
        with pytest.raises(HeadFault):
            model.generate(IDS)
    assert torch.equal(model.generate(IDS), IDS + 1)


def test_a_copy_of_a_guarded_model_guards_itself():
    model = llama()
    with guard(model):
        twin = copy.deepcopy(model)
        flatten(twin.lm_head.weight)
        with pytest.raises(HeadFault):
            generate(twin)
        generate(model)
        restored = pickle.loads(pickle.dumps(model))
        assert restored.__dict__["generate"].model is restored


def test_signature_of_generate_stays_readable():
    model = llama()
    with guard(model):
        assert "max_length" in str(inspect.signature(model.generate)) or "inputs" in str(
            inspect.signature(model.generate)
        )


def test_decorator_checks_each_call():
    model = llama(tied=False)

    @guard(model)
    def decode(ids):
        """Decode."""
        return model(ids).logits[:, -1]

    assert decode(IDS).shape == (1, 64)
    assert decode.__doc__ == "Decode."
    flatten(model.lm_head.weight)
    with pytest.raises(HeadFault):
        decode(IDS)


def test_plain_call_for_own_decode_loops():
    model = llama()
    check_logits_head(model)
    flatten(model.lm_head.weight)
    with pytest.raises(HeadFault):
        check_logits_head(model)
    check_logits_head(model, on_fault="repair")
    check_logits_head(model)


def test_encoder_decoder_is_guarded():
    model = t5()
    with guard(model):
        assert model.generate(IDS, max_new_tokens=2).shape[0] == 1
        flatten(model.shared.weight)
        with pytest.raises(HeadFault):
            model.generate(IDS, max_new_tokens=2)


def test_custom_generate_is_guarded():
    model = llama()
    seen = []

    def own(model, input_ids, **kwargs):
        seen.append(1)
        return input_ids

    with guard(model):
        model.generate(IDS, custom_generate=own)
        flatten(model.lm_head.weight)
        with pytest.raises(HeadFault):
            model.generate(IDS, custom_generate=own)
    assert seen == [1]


def test_compiled_model_is_guarded_through_the_wrapper():
    model = llama()
    compiled = torch.compile(model, backend="eager")
    with guard(compiled):
        generate(compiled)
        flatten(model.lm_head.weight)
        with pytest.raises(HeadFault):
            generate(compiled)


def test_unknown_word_is_refused():
    with pytest.raises(ValueError, match="raise, repair, warn"):
        guard(llama(), on_fault="ignore")


def test_attaching_from_many_threads_wraps_once():
    model = llama()
    guards = [guard(model) for _ in range(8)]
    threads = [threading.Thread(target=g.attach) for g in guards]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.__dict__["generate"].holders == 8
    assert model.__dict__["generate"].previous is None
    for g in guards:
        g.detach()
    assert "generate" not in model.__dict__


def test_offloaded_parameters_on_meta_are_in_order():
    from accelerate import cpu_offload

    model = llama(tied=False)
    cpu_offload(model, execution_device=torch.device("cpu"))
    assert model.lm_head.weight.is_meta
    with guard(model):
        generate(model)
