"""Type checks of strict configuration fields, as `huggingface_hub.dataclasses.type_validator` makes them.

Annotations are read as syntax. What is neither plain data nor a class of the release is not checked.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from loadproof.interpret.language.errors import NotUnderstood, certain
from loadproof.interpret.language.gate import own
from loadproof.interpret.language.values import Value
from loadproof.interpret.release.ports import File

Check = Callable[[str, Value], None]  # raises TypeError
_SIMPLE: dict[str, type] = {"int": int, "float": float, "str": str, "bool": bool}
_CONTAINERS = {"list": "list", "List": "list", "dict": "dict", "Dict": "dict", "tuple": "tuple", "Tuple": "tuple"}


class StrictDataclassFieldValidationError(Exception):
    def __init__(self, field: str, cause: Exception) -> None:
        super().__init__(f"Validation error for field '{field}':\n    {type(cause).__name__}: {cause}")


class StrictDataclassClassValidationError(Exception):
    def __init__(self, validator: str, cause: Exception) -> None:
        super().__init__(f"Class validation error for validator '{validator}':\n    {type(cause).__name__}: {cause}")


def check_field(name: str, value: Value, check: Check) -> None:
    """Raise what the library raises when `value` does not fit the annotation of field `name`."""
    try:
        check(name, value)
    except TypeError as cause:
        raise certain(StrictDataclassFieldValidationError(name, cause)) from cause


def checker(node: ast.expr, file: File) -> Check | None:
    """The check of an annotation; None when it is not understood, and then nothing is checked."""
    if isinstance(node, ast.Constant):
        return _none if node.value is None else None
    if isinstance(node, ast.Name):
        return _named(node.id, file)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([node.left, node.right], file)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return _subscripted(node.value.id, node.slice, file)
    return None


def _parts(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def _subscripted(name: str, inner: ast.expr, file: File) -> Check | None:
    parts = _parts(inner)
    if name in ("Union", "Optional"):
        return _union([*parts, *([ast.Constant(None)] if name == "Optional" else [])], file)
    if name == "Literal":
        return _literal([ast.literal_eval(p) for p in parts])
    kind = _CONTAINERS.get(name)
    if kind is None:
        return None
    return {"list": _list, "dict": _dict, "tuple": _tuple}[kind](parts, file)


def _none(name: str, value: Value) -> None:
    if value is not None:
        raise TypeError(f"Field '{name}' expected None, got {type(value).__name__}")


def _named(word: str, file: File) -> Check | None:
    if word in _CONTAINERS:
        kind = _CONTAINERS[word]
        return _simple({"list": list, "dict": dict, "tuple": tuple}[kind])
    if word in _SIMPLE:
        return _simple(_SIMPLE[word])
    try:
        cls = file.resolve(word) if word != "Any" else None
    except NotUnderstood:
        return None
    return _simple(cls) if isinstance(cls, type) and "__source_class__" in own(cls) else None


def _simple(cls: type) -> Check:
    def check(name: str, value: Value) -> None:
        if (cls is int and isinstance(value, bool)) or not isinstance(value, cls):
            raise TypeError(
                f"Field '{name}' expected {cls.__name__}, got {type(value).__name__} (value: {str(value)[:200]!r})"
                if not isinstance(value, (int, float, list, dict, tuple, type(None)))
                else f"Field '{name}' expected {cls.__name__}, got {type(value).__name__} (value: {value!r})"
            )

    return check


def _alternatives(nodes: list[ast.expr]) -> list[ast.expr]:
    found: list[ast.expr] = []
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            found += _alternatives([node.left, node.right])
        else:
            found.append(node)
    return found


def _union(nodes: list[ast.expr], file: File) -> Check | None:
    alternatives = _alternatives(nodes)
    checks = [checker(n, file) for n in alternatives]
    if None in checks:
        return None
    shown = ", ".join(_shown(n) for n in alternatives)

    def check(name: str, value: Value) -> None:
        errors = []
        for one in checks:
            try:
                one(name, value)  # type: ignore[misc]
                return
            except TypeError as problem:
                errors.append(str(problem))
        raise TypeError(
            f"Field '{name}' with value {value!r} doesn't match any type in ({shown}). Errors: {'; '.join(errors)}"
        )

    return check


def _shown(node: ast.expr) -> str:
    text = ast.unparse(node)
    return "<class 'NoneType'>" if text == "None" else f"<class '{text}'>" if text in _SIMPLE else text


def _literal(words: list[Value]) -> Check:
    def check(name: str, value: Any) -> None:
        same = [w for w in words if isinstance(w, bool) == isinstance(value, bool)]
        if not any(value == w for w in same):
            raise TypeError(f"Field '{name}' expected one of {tuple(words)}, got {value}")

    return check


def _list(parts: list[ast.expr], file: File) -> Check:
    inner = checker(parts[0], file)

    def check(name: str, value: Value) -> None:
        if not isinstance(value, list):
            raise TypeError(f"Field '{name}' expected a list, got {type(value).__name__}")
        for i, item in enumerate(value if inner is not None else ()):
            try:
                inner(f"{name}[{i}]", item)  # type: ignore[misc]
            except TypeError as problem:
                raise TypeError(f"Invalid item at index {i} in list '{name}'") from problem

    return check


def _dict(parts: list[ast.expr], file: File) -> Check:
    inner = [checker(p, file) for p in parts]

    def check(name: str, value: Value) -> None:
        if not isinstance(value, dict):
            raise TypeError(f"Field '{name}' expected a dict, got {type(value).__name__}")
        try:
            for pair in value.items():
                for part, one in zip(pair, inner, strict=False):
                    if one is not None:
                        one(name, part)
        except TypeError as problem:
            raise TypeError(f"Invalid key or value in dict '{name}'") from problem

    return check


def _tuple(parts: list[ast.expr], file: File) -> Check:
    endless = len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis
    inner = [checker(p, file) for p in parts[: 1 if endless else len(parts)]]

    def check(name: str, value: Value) -> None:
        if not isinstance(value, tuple):
            raise TypeError(f"Field '{name}' expected a tuple, got {type(value).__name__}")
        if not endless and len(inner) != len(value):
            raise TypeError(f"Field '{name}' expected a tuple of length {len(inner)}, got {len(value)}")
        for i, item in enumerate(value):
            one = inner[0 if endless else i]
            if one is not None:
                one(f"{name}[{i}]", item)

    return check
