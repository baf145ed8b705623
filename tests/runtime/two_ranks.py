"""Run by test_distributed in two processes: what a sharded model looks like to the guard on each rank (gloo, CPU)."""

import os
import sys

import pytest
import torch
import torch.distributed as dist
from torch import nn

from loadproof.runtime import HeadFault, check_logits_head, diagnose, ensure_lm_head_2d, guard
from tests.runtime.models import IDS, generate, llama


def refused(action, code):
    with pytest.raises(HeadFault, match=code):
        action()


def fsdp2():
    from torch.distributed.fsdp import fully_shard

    model = llama(tied=True)
    expected = generate(model)
    for layer in model.model.layers:
        fully_shard(layer)
    fully_shard(model)
    assert tuple(model.lm_head.weight.to_local().shape) == (32, 32)
    local = model.lm_head.weight.to_local().detach().clone()
    check_logits_head(model)
    assert model.lm_head.weight is model.model.embed_tokens.weight
    with guard(model):
        assert torch.equal(generate(model), expected)
    other = llama(tied=False)
    other.lm_head.weight = nn.Parameter(local)
    refused(lambda: check_logits_head(other), "LP905")
    refused(lambda: ensure_lm_head_2d(other), "LP905")
    with torch.no_grad():
        assert other(IDS).logits.shape[-1] == 32  # silent without the guard


def tensor_parallel():
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module
    from torch.distributed.tensor.placement_types import Replicate

    mesh = init_device_mesh("cpu", (2,))
    model = llama(tied=False)
    parallelize_module(model, mesh, {"lm_head": ColwiseParallel(output_layouts=Replicate(), use_local_output=True)})
    assert tuple(model.lm_head.weight.to_local().shape) == (32, 32)
    check_logits_head(model)
    with guard(model):
        assert generate(model).shape == (1, 7)
    assert diagnose(model).verdict == "loads"


def fsdp1():
    from torch.distributed.fsdp import FullyShardedDataParallel

    wrapped = FullyShardedDataParallel(llama(tied=False), device_id=torch.device("cpu"), use_orig_params=True)
    refused(lambda: check_logits_head(wrapped), "LP90")
    refused(lambda: ensure_lm_head_2d(wrapped), "LP90")
    report = diagnose(wrapped)
    assert report.verdict == "fails"
    assert report.findings[0].code in ("LP904", "LP905")
    with FullyShardedDataParallel.summon_full_params(wrapped, writeback=False):
        check_logits_head(wrapped)
        assert generate(wrapped.module).shape == (1, 7)


if __name__ == "__main__":
    dist.init_process_group("gloo", rank=int(os.environ["RANK"]), world_size=2)
    {"fsdp2": fsdp2, "tensor_parallel": tensor_parallel, "fsdp1": fsdp1}[sys.argv[1]]()
    dist.barrier()
    dist.destroy_process_group()
    print("in order")
