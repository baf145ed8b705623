"""Run by test_deepspeed in a process of its own: one rank of DeepSpeed ZeRO-3 on the CPU."""

import deepspeed
import pytest
import torch

from loadproof.runtime import HeadFault, check_logits_head, ensure_lm_head_2d, guard
from tests.runtime.models import IDS, llama

CONFIG = {
    "train_micro_batch_size_per_gpu": 1,
    "zero_optimization": {"stage": 3, "stage3_param_persistence_threshold": 0},
    "bf16": {"enabled": True},
}


class Teacher(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed_tokens = torch.nn.Embedding(64, 32)
        self.lm_head = torch.nn.Linear(32, 64, bias=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.lm_head(self.embed_tokens(ids))


def under_the_engine() -> None:
    model = llama(tied=False).train()
    engine, *_ = deepspeed.initialize(model=model, config=CONFIG, model_parameters=model.parameters())
    assert tuple(model.lm_head.weight.shape) == (0,)
    check_logits_head(engine)
    with guard(engine):
        assert model.generate(IDS, max_new_tokens=2).shape[0] == 1


def outside_of_it() -> None:
    with deepspeed.zero.Init(config_dict_or_path=CONFIG):
        teacher = Teacher()
    with pytest.raises(RuntimeError, match="'weight' must be 2-D"):
        teacher(IDS)
    for action in (check_logits_head, ensure_lm_head_2d):
        with pytest.raises(HeadFault, match=r"LP904.*\[64, 32\]"):
            action(teacher)
    with deepspeed.zero.GatheredParameters(teacher.parameters()):
        check_logits_head(teacher)


if __name__ == "__main__":
    deepspeed.init_distributed("gloo")
    under_the_engine()
    outside_of_it()
    print("in order")
