"""Objects whose constructor runs when somebody looks at them.

A release builds about five hundred conversion rules to hand out ten, and the constructor of each works on regular
expressions. The arguments are evaluated at once, the body of `__init__` at the first use of the object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_LOADING = "transformers.core_model_loading"
_WAITING, _BUILDING = "__waiting__", "__building__"
Function = Callable[..., Any]


def is_deferred(cls: type) -> bool:
    """Whether it is a conversion rule of the release: such a constructor only works on its own arguments."""
    return cls.__module__ == _LOADING and any(c.__name__ == "WeightTransform" for c in cls.__mro__)


def defer(cls: type) -> None:
    """Let the constructors of a class wait; a class without `__init__` or `__setattr__` of its own has the inherited one."""
    own = cls.__dict__
    if "__init__" in own:
        type.__setattr__(cls, "__init__", _wait(cls.__init__))  # type: ignore[misc]
    if "__setattr__" in own:
        type.__setattr__(cls, "__setattr__", _after_building(cls.__setattr__))
    if not any("__getattribute__" in c.__dict__ for c in cls.__mro__ if c is not object):
        type.__setattr__(cls, "__getattribute__", _after_building(object.__getattribute__))


def _wait(init: Function) -> Function:
    def start(self: Any, *args: Any, **kwargs: Any) -> None:
        state = object.__getattribute__(self, "__dict__")
        if _BUILDING in state:  # `super().__init__(...)` inside of a constructor that runs
            init(self, *args, **kwargs)
        else:
            state[_WAITING] = init, args, kwargs

    return start


def _after_building(access: Function) -> Function:
    def built(self: Any, *rest: Any) -> Any:
        state = object.__getattribute__(self, "__dict__")
        if _WAITING in state:
            _build(self, state)
        return access(self, *rest)

    return built


def _build(self: Any, state: dict[str, Any]) -> None:
    init, args, kwargs = state.pop(_WAITING)
    state[_BUILDING] = True
    try:
        init(self, *args, **kwargs)
    finally:
        state.pop(_BUILDING, None)
