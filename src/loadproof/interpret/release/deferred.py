"""Objects whose constructor runs when somebody looks at them.

A release builds about five hundred conversion rules to hand out ten, and the constructor of each works on regular
expressions. The arguments are evaluated at once, the body of `__init__` at the first use of the object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loadproof.interpret.language.gate import own, state

_LOADING = "transformers.core_model_loading"
_WAITING, _BUILDING = "__waiting__", "__building__"
Function = Callable[..., Any]


def is_deferred(cls: type) -> bool:
    """Whether it is a conversion rule of the release: such a constructor only works on its own arguments."""
    return cls.__module__ == _LOADING and any(c.__name__ == "WeightTransform" for c in cls.__mro__)


def defer(cls: type) -> None:
    """Let the constructors of a class wait; a class without `__init__` or `__setattr__` of its own has the inherited one."""
    if "__init__" in own(cls):
        type.__setattr__(cls, "__init__", _wait(cls.__init__))  # type: ignore[misc]
    if "__setattr__" in own(cls):
        type.__setattr__(cls, "__setattr__", _after_building(cls.__setattr__))
    if not any("__getattribute__" in own(c) for c in cls.__mro__ if c is not object):
        type.__setattr__(cls, "__getattribute__", _after_building(object.__getattribute__))


def _wait(init: Function) -> Function:
    def start(self: Any, *args: Any, **kwargs: Any) -> None:
        waiting = state(self)
        if _BUILDING in waiting:  # `super().__init__(...)` inside of a constructor that runs
            init(self, *args, **kwargs)
        else:
            waiting[_WAITING] = init, args, kwargs

    return start


def _after_building(access: Function) -> Function:
    def built(self: Any, *rest: Any) -> Any:
        waiting = state(self)
        if _WAITING in waiting:
            _build(self, waiting)
        return access(self, *rest)

    return built


def _build(self: Any, waiting: dict[str, Any]) -> None:
    init, args, kwargs = waiting.pop(_WAITING)
    waiting[_BUILDING] = True
    try:
        init(self, *args, **kwargs)
    finally:
        waiting.pop(_BUILDING, None)
