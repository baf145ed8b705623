"""`use_experts_implementation`, the one decorator of a release's classes that a quantizer looks at (integrations/moe.py)."""

from __future__ import annotations

import ast
from typing import Any

from loadproof.interpret.language.gate import find
from loadproof.interpret.language.values import Value

NAME = "use_experts_implementation"
_DEFAULTS: dict[str, Any] = {
    "is_concatenated": True,
    "is_transposed": False,
    "has_bias": False,
    "has_gate": True,
    "has_post_expert_norm": False,
}


def decorate(cls: Any, decorators: list[str]) -> None:
    """Let the instances of a class say what its decorator states of them."""
    stated = next((d for d in decorators if d.split("(")[0].rpartition(".")[2] == NAME), None)
    if stated is None:
        return
    call = ast.parse(stated, mode="eval").body
    keywords = call.keywords if isinstance(call, ast.Call) else []
    with_implementation(cls, **{k.arg: k.value.value for k in keywords if k.arg and isinstance(k.value, ast.Constant)})


def with_implementation(experts_class: Any = None, **options: Value) -> Any:
    """The decorator as a function: `__init__` takes the configuration first, and keeps it and the options."""
    if experts_class is None:
        return lambda cls: with_implementation(cls, **options)
    flags = {name: options.get(name, default) for name, default in _DEFAULTS.items()}
    _wrap(experts_class, flags)
    return experts_class


def _wrap(cls: Any, flags: dict[str, Any]) -> None:
    """A constructor that was wrapped before is unwrapped: the release wraps it again and again, to the same end."""
    known = cls.__init__  # a method that waits is built now
    original = find(known, "original", known)

    def __init__(self: Any, config: Value, *args: Value, **more: Value) -> None:  # noqa: N807 - it is one
        original(self, config, *args, **more)
        self.__dict__.update({"config": config, **flags})

    __init__.original = original  # type: ignore[attr-defined]
    type.__setattr__(cls, "__init__", __init__)
