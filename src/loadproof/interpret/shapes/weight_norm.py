"""`weight_norm` in its two forms: it renames and splits a weight."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.shapes.containers import ModuleDict
from loadproof.interpret.shapes.module import Module, param, set_plain


class ParametrizationHolder(Module):
    pass


def parametrized(module: Any, name: str = "weight", dim: Any = 0) -> Any:
    """torch.nn.utils.parametrizations.weight_norm"""
    weight = module._parameters.pop(name)
    norm = [] if dim is None else [1] * len(weight.shape)
    if dim is not None and dim != -1:
        norm[dim] = weight.shape[dim]
    holder = ParametrizationHolder()
    holder.original0, holder.original1 = param(*norm), param(*weight.shape)
    if "parametrizations" not in module._modules:
        module.parametrizations = ModuleDict()
    module.parametrizations[name] = holder
    set_plain(module, name, weight)
    return module


def legacy(module: Any, name: str = "weight", dim: Any = 0) -> Any:
    """torch.nn.utils.weight_norm"""
    weight = module._parameters.pop(name)
    norm = [] if dim is None else [1] * len(weight.shape)
    if dim is not None:
        norm[dim] = weight.shape[dim]
    module._parameters[name + "_g"] = param(*norm)
    module._parameters[name + "_v"] = param(*weight.shape)
    set_plain(module, name, weight)
    return module


def skip_init(module_class: Any, *args: Any, **kwargs: Any) -> Any:
    kwargs.pop("device", None)
    return module_class(*args, **kwargs)
