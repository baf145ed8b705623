"""Plain data as the values that an annotation of a pydantic model asks for."""

from __future__ import annotations

import ast
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.enums import Enum
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.gate import find, state
from loadproof.interpret.language.values import function_of
from loadproof.interpret.release.ports import File
from loadproof.interpret.shapes.dtypes import DType, dtype_named

_PLAIN: dict[str, Any] = {"str": str, "bool": bool, "dict": dict, "list": list, "tuple": (tuple, list), "Any": object}


def coerced(value: Any, node: ast.expr, file: File, *, model: type) -> Any:
    """The value of a field. Raises ValueError or TypeError for what it cannot hold. `model` is the base of all models."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    if isinstance(node, ast.Constant) and node.value is None:
        if value is not None:
            raise ValueError("Input should be None")
        return None
    parts = _union(node)
    if len(parts) > 1:
        return _first_of(value, parts, file, model)
    if isinstance(node, ast.Subscript):
        return _container(value, node, file, model)
    return _single(value, node, file, model)


def _union(node: ast.expr) -> list[ast.expr]:
    """The alternatives of ``A | B``, ``Union[A, B]`` and ``Optional[A]``."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_union(node.left), *_union(node.right)]
    if isinstance(node, ast.Subscript) and _head(node) in ("Optional", "Union"):
        items = _items(node)
        return [*items, *([ast.Constant(None)] if _head(node) == "Optional" else [])]
    return [node]


def _first_of(value: Any, parts: list[ast.expr], file: File, model: type) -> Any:
    """The first alternative that takes the value; one of its very type goes before all others."""
    exact = [part for part in parts if ast.unparse(part) == type(value).__name__]
    problem: Exception = ValueError("no alternative")
    for part in (*exact, *parts):
        try:
            return coerced(value, part, file, model=model)
        except (ValueError, TypeError) as one:
            problem = one
    raise problem


def _container(value: Any, node: ast.Subscript, file: File, model: type) -> Any:
    head, items = _head(node).lower(), _items(node)
    if head == "dict":
        if not isinstance(value, dict):
            raise ValueError("Input should be a valid dictionary")
        return {key: coerced(one, items[1], file, model=model) for key, one in value.items()}
    if head in ("list", "sequence", "set", "tuple"):
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"Input should be a valid {head}")
        return [coerced(one, items[0], file, model=model) for one in value]
    return coerced(value, items[0], file, model=model) if head == "annotated" else value


def _single(value: Any, node: ast.expr, file: File, model: type) -> Any:
    name = ast.unparse(node).rpartition(".")[2]
    if name == "int":
        return _integer(value)
    if name == "float":
        return float(_number(value))
    if name in _PLAIN:
        if not isinstance(value, _PLAIN[name]):
            raise ValueError(f"Input should be a valid {name}")
        return value
    kind: Any = file.evaluate(node)
    if isinstance(kind, type) and issubclass(kind, model):
        if isinstance(value, kind):
            return value
        if not isinstance(value, dict):
            raise ValueError("Input should be a valid dictionary")
        return kind(**value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        member: Any = value if isinstance(value, kind) else function_of(kind)(value)
        return member
    if isinstance(value, str) and value.startswith("torch.") and dtype_named(value[6:]) is not None:
        return DType(value[6:])
    if isinstance(kind, type):
        raise NotUnderstood(f"a field of the type {name}")
    return value


def _integer(value: Any) -> int:
    number = _number(value)
    if int(number) != number:
        raise ValueError("Input should be a valid integer, got a number with a fractional part")
    return int(number)


def _number(value: Any) -> float:
    """A number, a switch, or a text that spells a number."""
    if isinstance(value, str):
        return float(value)
    if not isinstance(value, (int, float)):
        raise ValueError("Input should be a valid number")
    return value


def _head(node: ast.Subscript) -> str:
    return ast.unparse(node.value).rpartition(".")[2]


def _items(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def plain_enum(value: Any) -> Any:
    """The value that a member of an enumeration stands for."""
    return state(value)["value"] if isinstance(value, Enum) else value


def dumped(value: Any) -> Any:
    """As `model_dump` gives it: nested models as tables. Each part is a step: a list may hold another many times."""
    limits.current().step()
    dump = find(value, "model_dump", None)
    if dump is not None:
        return dump()
    if isinstance(value, dict):
        return {key: dumped(one) for key, one in value.items()}
    return [dumped(one) for one in value] if isinstance(value, list) else value
