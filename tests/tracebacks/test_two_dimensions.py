"""The error this project began with, and loadproof's own messages: the head comes first where it is near."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from loadproof.tracebacks import Cause, candidates, read_symptom
from loadproof.tracebacks.knowledge import causes as all_causes


def first(text: str) -> Cause:
    found = candidates(read_symptom(text.split("\n")))
    assert found, text
    return found[0]


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: weight must be 2-D",
        "RuntimeError: 'weight' must be 2-D",
        "RuntimeError: `weight` must be 2‑D",
        "RuntimeError：weight must be 2-D，求助",
        "must be 2-D, but got weight of shape [torch.Size([25600])]",
        "【Bug已解决】Error generating example weight must be 2-D in model.generate() 解决方案",
        "一进生成就炸RuntimeError: weight must be 2-D或者更完整一点",
    ],
)
def test_the_text_is_recognised(text: str) -> None:
    assert first(text).code in ("LP901", "LP904", "LP905")


@pytest.mark.parametrize(
    "text",
    [
        '  File "m.py", line 3, in forward\n    return F.linear(hidden, self.weight)\nRuntimeError: weight must be 2-D',
        '  File "m.py", line 3, in f\n    logits = self.lm_head(h)\nRuntimeError: weight must be 2-D, but got weight of '
        "shape [torch.Size([25600])]",
        "generate调用lm_head计算logits时失败\nRuntimeError: weight must be 2-D",
        "ValueError: lm_head.weight 必须是 2 维 [vocab, hidden]，当前是 1 维 (128,)",
    ],
)
def test_the_head_comes_first_where_it_is_near(text: str) -> None:
    assert first(text).slug == "head-not-2d"


def test_one_size_that_is_not_zero_is_no_placeholder() -> None:
    keys = [
        c.key for c in candidates(read_symptom(["RuntimeError: weight must be 2-D, but got weight of shape [25600]"]))
    ]
    assert "zero3-runtime" not in keys


@pytest.mark.parametrize(
    "text", ["ValueError: Input must be 2-D", "ValueError: x must be 2-D, got 1-D", "pointweight must be 2-D"]
)
def test_other_tensors_are_not_meant(text: str) -> None:
    assert candidates(read_symptom([text])) == ()


def test_head_faults_name_their_own_cause() -> None:
    pytest.importorskip("torch")
    from loadproof.runtime.head import text_of

    for code in ("LP901", "LP904", "LP905"):
        said = text_of(_fault(code))
        assert first(f"loadproof.runtime.errors.HeadFault: {said}").code == code


def _fault(code: str) -> Any:
    live = SimpleNamespace(name="lm_head.weight", expected=(32, 16), shape=(512,), dtype="torch.float32")
    return SimpleNamespace(code=code, parameter=live, cause="a 1-D view", action="gather it first")


@pytest.mark.parametrize("code", sorted({cause.code for cause in all_causes().values()}))
def test_a_line_of_a_report_is_read_by_its_code(code: str) -> None:
    slug = next(cause.slug for cause in all_causes().values() if cause.code == code)
    found = first(f"error[{code}] {slug}: weights of the folder and config.json differ")
    assert (found.code, found.confidence) == (code, "likely")
