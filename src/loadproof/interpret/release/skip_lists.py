"""Functions that a quantizer asks for every module and every entry of its lists, without evaluating each.

Only where the text of the release or package is the one that is known here; any other text is evaluated as it stands.
"""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.patterns import check_repeats, compile_pattern
from loadproof.interpret.language.values import Value
from loadproof.interpret.release.definitions import FunctionSource, parse
from loadproof.interpret.release.ports import File
from loadproof.interpret.shapes.module import Module

_SHOULD_CONVERT = r"""
if patterns is None:
    return True
boundary = r"(?:(?<=\.)|(?=\.|$))"
return not any(re.match(rf"(?:{key}){boundary}", full_name) or full_name.endswith(key) for key in patterns)
"""
_IS_MATCH = """
targets = [targets] if isinstance(targets, str) else targets
ignore = [ignore] if isinstance(ignore, str) else ignore
return not isinstance(module, InternalModule) and (
    any(match_name(name, target, fused) or _match_class(module, target) for target in targets)
    and not any(match_name(name, ign, fused) or _match_class(module, ign) for ign in ignore)
)
"""
_BOUNDARY = r"(?:(?<=\.)|(?=\.|$))"
_PLAIN = re.compile(r"(?:[\w.-]|\.\*)+")  # names, with `.*` in them: they can be joined


def shortcut(file: File, name: str) -> Any:
    """The function as one of ours, None where the text says something else."""
    known, function = KNOWN[name]
    source = file.function_source(name)
    return function if source is not None and _body(source) == _dumped(parse(known)) else None


def _body(source: FunctionSource) -> list[str]:
    body = source.node().body
    is_docstring = body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    return _dumped(body[1:] if is_docstring else body)


def _dumped(body: list[ast.stmt]) -> list[str]:
    return [ast.dump(node) for node in body]


# ---------------------------------------------------------------- transformers
def _should_convert(full_name: str, patterns: Any = None) -> Value:
    if patterns is None:
        return True
    keys = _texts(patterns)
    return not (full_name.endswith(keys) or any(one.match(full_name) for one in _compiled(keys)))


def _texts(entries: Any) -> tuple[str, ...]:
    """The entries of a list, counted. Raises TypeError where one is no text."""
    keys = tuple(entries)
    limits.current().charge(len(keys), "list of modules")
    if not all(type(key) is str for key in keys):
        raise TypeError("endswith first arg must be str or a tuple of str")
    return keys


@lru_cache(maxsize=16)
def _compiled(keys: tuple[str, ...]) -> list[re.Pattern[str]]:
    plain = [key for key in keys if _PLAIN.fullmatch(key)]
    others = [f"(?:{key}){_BOUNDARY}" for key in keys if not _PLAIN.fullmatch(key)]
    joined = [f"(?:{'|'.join(plain)}){_BOUNDARY}"] if plain else []
    for one in (*others, *plain):
        check_repeats(one)
    return [re.compile(one) for one in (*joined, *others)]


# ---------------------------------------------------------------- compressed_tensors
def _is_match(name: str, module: Any, targets: Any, ignore: Any = (), fused: Value = None) -> bool:
    if fused is not None or not isinstance(module, Module):
        raise NotUnderstood("modules that vLLM has joined")
    kind: type = type(module)
    classes = _class_names(kind)
    if "InternalModule" in classes:
        return False
    wanted, left_out = ((one,) if isinstance(one, str) else _texts(one) for one in (targets, ignore))
    return _meets(name, classes, wanted) and not _meets(name, classes, left_out)


def _meets(name: str, classes: frozenset[str], entries: tuple[str, ...]) -> bool:
    names, patterns = _parted(entries)
    return name in names or not names.isdisjoint(classes) or any(one.match(name) is not None for one in patterns)


@lru_cache(maxsize=16)
def _parted(entries: tuple[str, ...]) -> tuple[frozenset[str], list[Any]]:
    names = {entry for entry in entries if not entry.startswith("re:")}
    return frozenset(names), [compile_pattern(entry[3:]) for entry in entries if entry.startswith("re:")]


@lru_cache(maxsize=256)
def _class_names(cls: type) -> frozenset[str]:
    """The names of the class and of its ancestors among modules; a `LinearBase` counts as a `Linear` too."""
    names = [one.__name__ for one in cls.__mro__ if issubclass(one, Module)]
    return frozenset([*names, "Linear"] if "LinearBase" in names else names)


KNOWN: dict[str, tuple[str, Any]] = {
    "should_convert_module": (_SHOULD_CONVERT, _should_convert),
    "is_match": (_IS_MATCH, _is_match),
}
