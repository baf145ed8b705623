"""What `torch` says of the accelerators of the machine: those of the device that is asked about, none where it is a CPU.

Every answer is noted (`Budget.asks_device`): what nobody asked about is the same on all machines.
"""

from __future__ import annotations

from collections.abc import Callable

from loadproof.interpret.language import limits
from loadproof.interpret.language.objects import Namespace, SourceObject
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes import dtypes


def _is(kind: str) -> Callable[..., bool]:
    return lambda *_, **__: limits.current().asked_device().kind == kind


def _number(kind: str) -> Callable[..., int]:
    return lambda: int(limits.current().asked_device().kind == kind)


def _capability(*_: object, **__: object) -> Value:
    return limits.current().asked_device().capability


def _name(*_: object, **__: object) -> Value:
    limits.current().asked_device()
    return "NVIDIA"


def _accelerator(kind: str, members: dict[str, Value] | None = None) -> Namespace:
    known: dict[str, Value] = {
        name: _is(kind) for name in ("is_available", "is_bf16_supported", "is_initialized", "is_built")
    }
    known |= {"device_count": _number(kind), "current_device": lambda: 0}
    return Namespace(f"torch.{kind}", {**known, **(members or {})})


def _current(*_: object, **__: object) -> Value:
    """`torch.accelerator.current_accelerator()`"""
    kind = limits.current().asked_device().kind
    return None if kind == "cpu" else dtypes.Device(kind)


def _no(*_: object, **__: object) -> bool:
    return False


CUDA = _accelerator("cuda", {"get_device_capability": _capability, "get_device_name": _name})
XPU, NPU, HPU = map(_accelerator, ("xpu", "npu", "hpu"))
MPS = _accelerator("mps")
BACKENDS = Namespace("torch.backends", {"mps": MPS})
_DTENSOR = Namespace("torch.distributed.tensor", {"DTensor": type("DTensor", (SourceObject,), {})})
DISTRIBUTED = Namespace("torch.distributed", {"is_available": lambda: True, "is_initialized": _no, "tensor": _DTENSOR})
ACCELERATOR = Namespace(
    "torch.accelerator",
    {
        "current_accelerator": _current,
        "is_available": lambda *_: limits.current().asked_device().kind != "cpu",
        "device_count": lambda: int(limits.current().asked_device().kind != "cpu"),
    },
)
