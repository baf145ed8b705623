"""The builtins that evaluated code sees. Explicit, each harmless or in a bounded form."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from operator import index
from typing import Any

from loadproof.interpret.language import counted, limits, operators, text
from loadproof.interpret.language.errors import ForbiddenAttribute, UnknownUsed
from loadproof.interpret.language.gate import class_of, delete, guarded_type, make_super, read, write
from loadproof.interpret.language.lazy_dict import LazyDict
from loadproof.interpret.language.lazy_list import LazyList
from loadproof.interpret.language.long_list import LongList
from loadproof.interpret.language.objects import Foreign, Unknown
from loadproof.interpret.language.values import Names, Open

_AS_THEY_ARE = (
    "abs all any bool callable classmethod divmod enumerate filter float id int issubclass len map max "
    "min next "
    "object ord property reversed slice staticmethod zip Ellipsis NotImplemented ArithmeticError AssertionError "
    "AttributeError Exception DeprecationWarning FutureWarning ImportError IndexError KeyError LookupError "
    "ModuleNotFoundError NameError NotImplementedError OSError OverflowError RuntimeError RuntimeWarning StopIteration "
    "TypeError UserWarning ValueError Warning ZeroDivisionError FileNotFoundError EnvironmentError UnboundLocalError"
)
_COUNTED: dict[Any, tuple[type, ...]] = {
    **dict.fromkeys((tuple, set, frozenset), ()),
    list: (LazyList, LongList),
    dict: (LazyDict,),
}
_NO_DEFAULT = object()
_STOOD_FOR = ("torch", "nn.", "numpy")  # of their classes, ours are not the only ones that an object may be of
_SWITCHES = {"True": True, "False": False, "None": None}


def _range(*bounds: Any) -> range:
    made = range(*map(index, bounds))
    try:
        count = len(made)
    except OverflowError:
        count = limits.ITEMS + 1
    limits.current().charge(count, f"range({', '.join(str(b)[:30] for b in bounds)})")
    return made


def _type(*args: Any) -> Any:
    if len(args) != 1:
        raise ForbiddenAttribute("type() with three arguments")
    return class_of(args[0])


def _sum(items: Iterable[Any], start: Any = 0) -> Any:
    for item in items:
        start = operators.add(start, item)
    return start


def _sorted(items: Iterable[Any], *, key: Any = None, reverse: Any = False) -> list[Any]:
    found = list(items)
    limits.current().charge(len(found), "list")
    return sorted(found, key=key, reverse=bool(reverse))


def _round(number: Any, digits: Any = None) -> Any:
    if isinstance(digits, int) and abs(digits) > 300:
        raise ForbiddenAttribute(f"round to {digits} digits")
    return round(number) if digits is None else round(number, digits)


def _getattr(obj: Any, name: str, default: Any = _NO_DEFAULT) -> Any:
    try:
        return read(obj, name)
    except AttributeError:
        if default is _NO_DEFAULT:
            raise
        return default


def _hasattr(obj: Any, name: str) -> bool:
    try:
        read(obj, name)
    except AttributeError:
        return False
    return True


def _iter(items: Any, *sentinel: Any) -> Any:
    if sentinel:
        raise ForbiddenAttribute("iter() with a sentinel")
    return iter(items)


def _isinstance(obj: Any, kinds: Any) -> bool:
    """isinstance(). What is modelled is no instance of a class that is not, but for those that stand-ins stand for."""
    if isinstance(kinds, tuple):
        known = tuple(k for k in kinds if not isinstance(k, (Unknown, tuple)))
        return isinstance(obj, known) or any(_isinstance(obj, k) for k in kinds if isinstance(k, (Unknown, tuple)))
    if isinstance(kinds, Unknown):
        is_foreign = isinstance(kinds, Foreign) or (isinstance(obj, Open) and kinds._name.startswith(_STOOD_FOR))
        if isinstance(obj, Unknown) or is_foreign:
            raise UnknownUsed(f"whether something is a {kinds._name} decides and is not known")
        return False
    return isinstance(obj, kinds)


def _eval(text: Any, *_: object) -> Any:
    """`eval` of a switch, as settings are read from the environment: a look-up. Anything else is refused."""
    if not isinstance(text, str) or text not in _SWITCHES:
        raise ForbiddenAttribute("eval of more than True, False or None")
    return _SWITCHES[text]


def _pow(base: Any, exponent: Any, *modulus: Any) -> Any:
    if not modulus:
        return operators.power(base, exponent)
    return pow(*map(limits.checked_integer, (base, exponent, *modulus)))


def names() -> Names:
    """Name -> value, a fresh dictionary."""
    found: Names = {name: builtins.__dict__[name] for name in _AS_THEY_ARE.split()}
    found.update({real.__name__: guarded_type(real, counted.counting(real), *also) for real, also in _COUNTED.items()})
    found.update(
        range=guarded_type(range, _range),
        bytes=guarded_type(bytes, counted.bytes_of),
        type=guarded_type(type, _type),
        str=guarded_type(str, counted.text_of),
        sum=_sum,
        sorted=_sorted,
        round=_round,
        repr=text.show_repr,
        format=text.format_value,
        pow=_pow,
        getattr=_getattr,
        hasattr=_hasattr,
        setattr=write,
        delattr=delete,
        vars=lambda obj: read(obj, "__dict__"),
        isinstance=_isinstance,
        iter=_iter,
        eval=_eval,
        hash=lambda value: hash(value),
        chr=chr,
        print=lambda *_, **__: None,
        complex=complex,
        super=make_super,
        BaseException=Exception,
    )
    return found


BUILTINS: Names = names()
