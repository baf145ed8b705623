"""Where the elements of a live parameter really are, decided before its shape is judged.

A naive ``dim() == 2 and shape == (vocab, hidden)`` both misses faults (a local shard keeps two dimensions) and raises
false alarms (a packed 4-bit weight is ``[N, 1]``). Marks per kind: measured on torch 2.13, bitsandbytes 0.50,
read in DeepSpeed's sources for ZeRO-3 (``ds_id``, ``ds_shape``, ``ds_status``).
"""

from __future__ import annotations

import sys
from typing import Any, Literal

from loadproof.core.live import LiveParameter
from loadproof.core.tensors import Shape

Role = Literal["input-embedding", "output-head", "other"]
_PACKED_CLASSES = {"Params4bit", "Int8Params", "QuantizedTensor", "WQLinear"}


def describe(parameter: Any, role: Role, name: str, expected: Shape | None, holder: Any = None) -> LiveParameter:
    """One parameter as data. `holder` is the module that owns it (its hooks tell whether ZeRO-3 gathers it)."""
    shape = tuple(parameter.shape)
    common: dict[str, Any] = {
        "role": role,
        "name": name,
        "dtype": str(parameter.dtype).removeprefix("torch."),
        "expected": expected,
    }
    if hasattr(parameter, "ds_shape") or hasattr(parameter, "ds_id"):
        return _zero3(parameter, shape, holder, common)
    if is_dtensor(parameter):
        local = tuple(parameter.to_local().shape) if parameter.device.type != "meta" else shape
        text = f"DTensor, local {list(local)}, placements {tuple(map(str, parameter.placements))}"
        return LiveParameter(kind="dtensor", shape=shape, true_shape=shape, detail=text, **common)
    packed = packed_shape(parameter)
    if packed is not None:
        return LiveParameter(kind="packed", shape=shape, true_shape=packed, detail=type(parameter).__name__, **common)
    if parameter.device.type == "meta":
        offloaded = hasattr(holder, "_hf_hook")  # accelerate loads it around the module's forward
        text = "on the meta device: it has no values"
        return LiveParameter(kind="meta", shape=shape, detail=text, gathered_by_hooks=offloaded, **common)
    if is_fsdp1_view(parameter, holder):
        return LiveParameter(kind="fsdp1-view", shape=shape, detail="managed by FullyShardedDataParallel", **common)
    return LiveParameter(kind="plain", shape=shape, strided=_strided(parameter), **common)


def _zero3(parameter: Any, shape: Shape, holder: Any, common: dict[str, Any]) -> LiveParameter:
    whole = getattr(parameter, "ds_shape", None)
    whole = tuple(whole) if whole is not None else None
    if whole is not None and shape == whole:  # gathered now, or kept whole below the persistence threshold
        return LiveParameter(kind="plain", shape=shape, true_shape=whole, detail="ZeRO-3, gathered", **common)
    status = getattr(parameter, "ds_status", None)
    text = f"ZeRO-3 placeholder, ds_status {getattr(status, 'name', status)}"
    return LiveParameter(
        kind="zero3", shape=shape, true_shape=whole, detail=text, gathered_by_hooks=has_zero3_hooks(holder), **common
    )


def has_zero3_hooks(module: Any) -> bool:
    """True when DeepSpeed's engine gathers this module's parameters around its forward."""
    if module is None:
        return False
    parameters = module.__dict__.get("_parameters")
    if type(parameters).__name__ == "ZeROOrderedDict":
        return True
    hooks = module.__dict__.get("_forward_pre_hooks") or {}
    return any("deepspeed" in (getattr(h, "__module__", "") or "") for h in hooks.values())


def is_dtensor(parameter: Any) -> bool:
    """A DTensor shows its global shape; nothing is imported that the program has not imported itself."""
    module = sys.modules.get("torch.distributed.tensor")
    dtensor = getattr(module, "DTensor", None)
    return dtensor is not None and bool(isinstance(parameter, dtensor))


def packed_shape(parameter: Any) -> Shape | None:
    """The dense shape of a quantized parameter, None for a dense one. Int8 keeps its shape, 4-bit does not."""
    state = getattr(parameter, "quant_state", None)
    if state is not None and getattr(state, "shape", None) is not None:
        return tuple(state.shape)
    if type(parameter).__name__ in _PACKED_CLASSES:
        return tuple(parameter.shape)
    if type(parameter).__module__.startswith("torchao"):
        return tuple(parameter.shape)
    return None


def is_fsdp1_view(parameter: Any, holder: Any) -> bool:
    """FSDP1 marks what it flattened; without ``use_orig_params`` the unit holds one FlatParameter instead."""
    if type(parameter).__name__ == "FlatParameter" or getattr(parameter, "_is_flat_param", False):
        return True
    flattened = getattr(parameter, "_fsdp_flattened", False) or getattr(holder, "_is_fsdp_managed_module", False)
    return bool(flattened) and parameter.dim() == 1


def _strided(parameter: Any) -> bool:
    import torch

    return bool(parameter.layout == torch.strided and (parameter.is_floating_point() or parameter.is_complex()))
