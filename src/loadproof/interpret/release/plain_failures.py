"""Whether an operation of the language failed on plain data, so that Python fails there as well."""

from __future__ import annotations

import re

from loadproof.interpret.language.gate import own
from loadproof.interpret.shapes.module import Module

_LANGUAGE = "interpret/language/"  # where operations on values are carried out
_STAND_INS = (
    *("surroundings.py", "standard_library.py", "itertools_names.py", "math_names.py", "typing_names.py"),
    *("patterns.py", "enums.py", "objects.py", "copying.py"),
)
_KINDS = re.compile(r"'(\w+)' (?:object|and)|and '(\w+)'|of type '(\w+)'|must be \w+, not '?(\w+)|\(not \"(\w+)\"\)")
_DATA = frozenset(
    [
        "NoneType",
        "bool",
        "bytes",
        "complex",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "range",
        "set",
        "slice",
        "str",
        "tuple",
    ]
)
_HOST_CALL = re.compile(r"\w\(\) (?:got|takes|missing)\b")
# Attributes of torch.nn.Module that its stand-in lacks; besides, an instance has private ones.
_OF_MODULES = frozenset(["T_destination", "call_super_init", "dump_patches", "ipu", "mtia"])


def is_plain(problem: Exception, said: str) -> bool:
    """Whether an operation of the language failed on plain data or on objects of evaluated classes."""
    where = _raised_in(problem)
    if _LANGUAGE not in where or where.endswith(_STAND_INS):
        return False
    if isinstance(problem, AttributeError):
        return _lacks_for_certain(problem, said)
    if isinstance(problem, TypeError):
        if where.endswith(("functions.py", "signature.py", "call_errors.py")):  # the arguments of an evaluated function
            return True
        return _HOST_CALL.search(said) is None and all(name in _DATA for name in _kinds(said)) and bool(_kinds(said))
    return True


def _lacks_for_certain(problem: AttributeError, said: str) -> bool:
    owner = problem.obj
    kind = owner if isinstance(owner, type) else type(owner)
    if owner is None:  # raised by a table of methods, which names the kind
        return any(name in _DATA for name in _kinds(said))
    if issubclass(kind, Module):
        return problem.name not in _OF_MODULES and not str(problem.name).startswith("_")
    return kind.__name__ in _DATA or "__source_class__" in own(kind)


def _kinds(said: str) -> list[str]:
    """The types that a message of Python's names."""
    return [name for found in _KINDS.findall(said) for name in found if name]


def _raised_in(problem: BaseException) -> str:
    """The file of our own whose frame raised it."""
    trace, where = problem.__traceback__, ""
    while trace is not None:
        where, trace = trace.tb_frame.f_code.co_filename, trace.tb_next
    return where.replace("\\", "/")
