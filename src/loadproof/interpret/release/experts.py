"""`use_experts_implementation`, the one decorator of a release's classes that a quantizer looks at (integrations/moe.py).

It makes a constructor keep the configuration and what the decorator states of the layout of the experts.
"""

from __future__ import annotations

import ast
from typing import Any

from loadproof.interpret.language.values import Members, Value
from loadproof.interpret.release.lazy_members import LazyInit, LazyMethod

NAME = "use_experts_implementation"
_DEFAULTS: dict[str, Any] = {
    "is_concatenated": True,
    "is_transposed": False,
    "has_bias": False,
    "has_gate": True,
    "has_post_expert_norm": False,
}


def decorate(members: Members, decorators: list[str]) -> None:
    """Change the members of a class that is being made, where it has the decorator and a constructor of its own."""
    stated = next((d for d in decorators if d.split("(")[0].rpartition(".")[2] == NAME), None)
    init = members.get("__init__")
    if stated is not None and isinstance(init, LazyMethod):
        members["__init__"] = LazyInit(init, "config", {**_DEFAULTS, **_keywords(stated)})


def _keywords(decorator: str) -> dict[str, Value]:
    call = ast.parse(decorator, mode="eval").body
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return {k.arg: k.value.value for k in keywords if k.arg in _DEFAULTS and isinstance(k.value, ast.Constant)}


def identity(experts_class: Any = None, **_: Value) -> Any:
    """The decorator called as a function, as quantizers do with experts of their own, which keep all that themselves."""
    return experts_class if experts_class is not None else lambda cls: cls
