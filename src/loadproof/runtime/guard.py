"""`guard(model)`: check head and embedding when attached and at every entry of generate().

The guard wraps `generate` as an attribute of the instance: reached through PEFT, before custom_generate branches,
outside compiled graphs, once per call (not per token). A check is tens of microseconds.
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any, Literal, TypeVar

from loadproof.rules.evidence.live_faults import live_faults
from loadproof.rules.evidence.live_parameters import judge
from loadproof.runtime.errors import HeadFault
from loadproof.runtime.head import ensure_lm_head_2d, text_of
from loadproof.runtime.observe import expected_shape, observe
from loadproof.runtime.placement import Role, describe
from loadproof.runtime.unwrap import input_embedding, output_head, require_model, unwrap, weight_holder

OnFault = Literal["raise", "repair", "warn"]
Function = TypeVar("Function", bound=Callable[..., Any])
_CHOICES = ("raise", "repair", "warn")
_attaching = threading.Lock()


def check_logits_head(model: Any, on_fault: OnFault = "raise") -> None:
    """The check of the guard as a plain call, for hand-written decode loops and own `compute_logits`.

    Raises HeadFault ("raise"), repairs in place where that is provably right and raises otherwise ("repair"), or warns.
    """
    _check(unwrap(model)[0], on_fault)


def _check(model: Any, on_fault: OnFault) -> None:
    if _in_order(model):
        return
    faults = live_faults(observe(model))
    if not faults:
        return
    message = "\n".join(text_of(fault) for fault in faults)
    if on_fault == "warn":
        warnings.warn(message, stacklevel=4)
    elif on_fault == "repair":
        ensure_lm_head_2d(model)
    else:
        raise HeadFault(message)


def _in_order(model: Any) -> bool:
    """The fast way: only head and embedding, without names. False means: look closely and say what is wrong."""
    return _fits(model, "output-head", output_head(model), "out_features", "in_features") and _fits(
        model, "input-embedding", input_embedding(model), "num_embeddings", "embedding_dim"
    )


def _fits(model: Any, role: Role, module: Any, rows: str, columns: str) -> bool:
    if module is None:
        return True
    holder = weight_holder(module)
    weight = holder.__dict__.get("_parameters", {}).get("weight")
    if weight is None:
        return True
    stated = (getattr(holder, rows, None), getattr(holder, columns, None))
    if tuple(weight.shape) == stated and not weight.is_meta:
        return True
    expected = expected_shape(model, holder, role, None, None)
    return judge(describe(weight, role, role, expected, holder)) is None


class GuardedGenerate:
    """What stands in for `model.generate`. Follows the model through deepcopy and pickle instead of the old one."""

    def __init__(self, model: Any, on_fault: OnFault, previous: Any = None) -> None:
        self.model, self.on_fault, self.previous, self.holders = model, on_fault, previous, 1

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _check(self.model, self.on_fault)
        if self.previous is not None:
            return self.previous(*args, **kwargs)
        return type(self.model).generate(self.model, *args, **kwargs)

    @property
    def __wrapped__(self) -> Any:
        """The original, so that `inspect.signature` still tells the arguments of generate()."""
        return self.previous if self.previous is not None else type(self.model).generate.__get__(self.model)

    def __deepcopy__(self, memo: dict[int, Any]) -> GuardedGenerate:
        return GuardedGenerate(memo.get(id(self.model), self.model), self.on_fault, self.previous)


class Guard:
    """A guard on one model: `attach()` / `detach()`, a context manager, or a decorator of a decode function."""

    def __init__(self, model: Any, on_fault: OnFault = "raise") -> None:
        if on_fault not in _CHOICES:
            raise ValueError(f"on_fault must be one of {', '.join(_CHOICES)}, found {on_fault!r}")
        require_model(model)
        self.model, self.on_fault = model, on_fault
        self._attached = False

    def check(self) -> None:
        """One check now. Raises HeadFault."""
        check_logits_head(self.model, self.on_fault)

    def attach(self) -> Guard:
        """Check now and at every generate() from now on. Attaching again changes nothing."""
        self.check()
        inner = unwrap(self.model)[0]
        with _attaching:
            if not self._attached and hasattr(type(inner), "generate") | ("generate" in inner.__dict__):
                _wrap(inner, self.on_fault)
                self._attached = True
        return self

    def detach(self) -> None:
        """Give `generate` back as it was. Detaching a guard that is not attached changes nothing."""
        inner = unwrap(self.model)[0]
        with _attaching:
            if self._attached:
                _unwrap_generate(inner)
                self._attached = False

    def __enter__(self) -> Any:
        self.attach()
        return self.model

    def __exit__(self, *exc: object) -> None:
        self.detach()

    def __call__(self, function: Function) -> Function:
        """Decorate a decode function: the model is checked at each of its calls."""

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            self.check()
            return function(*args, **kwargs)

        return checked  # type: ignore[return-value]


def _wrap(model: Any, on_fault: OnFault) -> None:
    current = model.__dict__.get("generate")
    if isinstance(current, GuardedGenerate):
        current.holders += 1
        current.on_fault = on_fault
    else:
        object.__setattr__(model, "generate", GuardedGenerate(model, on_fault, current))


def _unwrap_generate(model: Any) -> None:
    current = model.__dict__.get("generate")
    if not isinstance(current, GuardedGenerate):
        return  # somebody replaced it since: theirs stays
    current.holders -= 1
    if current.holders == 0 and current.previous is not None:
        object.__setattr__(model, "generate", current.previous)
    elif current.holders == 0:
        object.__delattr__(model, "generate")


def guard(model: Any, on_fault: OnFault = "raise") -> Guard:
    """A guard for `model` (any wrapper around it is seen through).

    Use ``with guard(model): ...``, ``@guard(model)`` on a decode function, or ``guard(model).attach()``. on_fault:
    "raise" HeadFault, "repair" in place where provably right (else raise), or "warn". Other words: ValueError.
    """
    return Guard(model, on_fault)
