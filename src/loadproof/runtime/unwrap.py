"""Find the model, its input embedding and its output head under any stack of wrappers.

Wrappers nest in any order (measured with torch 2.13, peft 0.21); `lexicon.wrappers` says what each calls the inner one.
"""

from __future__ import annotations

import os
from typing import Any

from loadproof.lexicon.adapters import BASE, FROZEN, PEFT, SAVED
from loadproof.lexicon.ends import LIVE_EMBEDDINGS, LIVE_HEADS
from loadproof.lexicon.wrappers import INNER, MODULE_HOLDERS


def unwrap(model: Any) -> tuple[Any, tuple[str, ...]]:
    """The innermost model and the class names of what was around it, outermost first. TypeError: not a torch model."""
    require_model(model)
    seen: list[str] = []
    while True:
        inner = _inner(model)
        if inner is None or len(seen) > 16:
            return model, tuple(seen)
        seen.append(type(model).__name__)
        model = inner


def require_model(model: Any) -> None:
    """Raise TypeError unless `model` has the parts of a torch.nn.Module; torch itself is not imported for that."""
    if isinstance(getattr(model, "__dict__", {}).get("_modules"), dict) and not isinstance(model, type):
        return
    found = f"the class {model.__name__}" if isinstance(model, type) else f"{type(model).__name__}"
    raise TypeError(f"not a torch model: {found}; expected a torch.nn.Module{_how_to_get_torch(model)}")


def require_tensor(weight: Any) -> None:
    """Raise TypeError unless `weight` has the parts of a torch.Tensor."""
    if all(hasattr(weight, name) for name in ("shape", "dtype", "dim", "numel")) and not isinstance(weight, type):
        return
    raise TypeError(f"not a torch tensor: {type(weight).__name__}; expected a weight{_how_to_get_torch(weight)}")


def _how_to_get_torch(given: Any) -> str:
    """Which extra to install where torch is not there, and what a path is good for."""
    from importlib.util import find_spec

    parts = []
    if isinstance(given, str | os.PathLike):
        parts.append("a checkpoint on disk is judged by loadproof.check(path)")
    if find_spec("torch") is None:
        parts.append("torch is not installed: pip install 'loadproof[torch]'")
    return "".join(f" ({part})" for part in parts)


def _inner(model: Any) -> Any | None:
    children: dict[str, Any] = model.__dict__.get("_modules", {})
    for name in INNER:
        if children.get(name) is not None:
            return children[name]
    if type(model).__name__ in MODULE_HOLDERS:
        return children.get("module")
    return _inside_peft(model, children)


def _inside_peft(model: Any, children: dict[str, Any]) -> Any | None:
    """`PeftModel.base_model` is a tuner (LoraModel, ...) whose `.model` is the model; both are passed over."""
    tuner = children.get(PEFT[0])
    if tuner is not None and "peft" in type(model).__module__:
        return tuner
    return children.get(PEFT[1]) if type(model).__module__.startswith("peft.tuners") else None


def weight_holder(module: Any) -> Any:
    """The module that owns the weight that is used: inside ModulesToSaveWrapper, LoRA layers, Sequential heads."""
    for _ in range(8):
        inner = _inner_holder(module)
        if inner is None:
            return module
        module = inner
    return module


def _inner_holder(module: Any) -> Any | None:
    children: dict[str, Any] = module.__dict__.get("_modules", {})
    if SAVED in children and FROZEN in children:
        active = getattr(module, "active_adapter", None) or "default"
        active = active[0] if isinstance(active, list | tuple) else active
        saved = children[SAVED]
        return saved[active] if active in saved and not getattr(module, "disable_adapters", False) else children[FROZEN]
    if BASE in children:
        return children[BASE]
    inner = _inner(module)
    if inner is not None:
        return inner
    if type(module).__name__ == "Sequential" and children:
        return next((m for m in reversed(list(children.values())) if hasattr(m, "weight")), None)
    return None


def output_head(model: Any) -> Any | None:
    """The module that turns hidden states into logits, or None (encoders, heads with another task)."""
    return _ask(model, "get_output_embeddings") or _named(model, LIVE_HEADS)


def input_embedding(model: Any) -> Any | None:
    """The module that looks token ids up, or None."""
    found = _ask(model, "get_input_embeddings")
    if found is not None:
        return found
    for parent in (model, getattr(model, "model", None), getattr(model, "transformer", None)):
        found = _named(parent, LIVE_EMBEDDINGS) if parent is not None else None
        if found is not None:
            return found
    return None


def _ask(model: Any, getter: str) -> Any | None:
    function = getattr(model, getter, None)
    if function is None:
        return None
    try:
        return function()
    except (NotImplementedError, AttributeError, TypeError):
        return None


def _named(model: Any, names: tuple[str, ...]) -> Any | None:
    children: dict[str, Any] = model.__dict__.get("_modules", {})
    return next((children[n] for n in names if children.get(n) is not None), None)
