"""One folder reflects on evaluated values; everything else in the evaluator asks it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import loadproof.interpret
from loadproof.interpret.language.gate import DATA
from loadproof.interpret.language.objects import SourceObject
from loadproof.interpret.language.values import Open

TOP = Path(loadproof.interpret.__file__).parent
REFLECTIVE = frozenset(["getattr", "setattr", "hasattr", "delattr", "vars", "dir", "attrgetter", "methodcaller"])
INSIDE = frozenset(
    [
        *("__dict__", "__globals__", "__closure__", "__code__", "__func__", "__self__", "__wrapped__", "__traceback__"),
        *("__context__", "__subclasses__", "__getattribute__", "__setattr__", "__delattr__", "gi_frame", "tb_frame"),
        *("f_globals", "f_back", "cr_frame"),
    ]
)
# Receivers that are provably ours: the name of the file, the text, why.
ALLOWED = {
    ("language/builtin_names.py", "builtins.__dict__", "a module of Python, a list of names written there"),
    (
        "release/package_text.py",
        "find(loaded, name, _ABSENT)",
        "a module of the standard library, outside of any evaluation",
    ),
    (
        "shapes/module.py",
        "has(self, name)",
        "a yes or no that torch itself asks of a module before it registers a part",
    ),
    ("language/enums.py", "type.__setattr__", "a class that a class statement is making"),
    ("release/plain_failures.py", "problem.__traceback__", "where an exception came from, after the evaluation"),
    ("release/plain_failures.py", "trace.tb_frame", "where an exception came from, after the evaluation"),
    ("release/import_time.py", "node.__dict__", "a node of a syntax tree"),
    ("release/remote_file.py", "hasattr(builtins, name)", "a module of Python, asked whether it has a name at all"),
    ("release/remote_file.py", "frame.f_back", "the depth of our own stack"),
    (
        "release/remote_file.py",
        "type(problem)(f'{problem} (import of {self.label}, line {node.lineno})')",
        "a reason of ours, said again with its place",
    ),
    ("language/lazy_list.py", "getattr(list, name)", "the methods of `list`, names written there"),
    ("shapes/namespaces.py", "containers.__dict__", "a module of ours, names written there"),
    ("language/errors.py", "object.__getattribute__", "the attributes of an exception, past what its class may define"),
    ("language/objects.py", "object.__setattr__", "a constructor fills its own object"),
    (
        "release/lazy_members.py",
        "type.__setattr__",
        "a class that a class statement just made, by the name it has there",
    ),
    (
        "release/lazy_members.py",
        "object.__getattribute__",
        "the dunders of an object whose class answers all other names",
    ),
    ("release/deferred.py", "object.__getattribute__", "the ordinary look-up, made to wait for the constructor"),
    ("release/deferred.py", "type.__setattr__", "a class of the release, three names written there"),
    ("release/config_base.py", "type.__setattr__", "a class of the release, a name written there"),
    ("release/config_base.py", "object.__getattribute__", "called by the gate, which knows receiver and name"),
    ("release/config_base.py", "base.__setattr__", "the base class of configurations, while it is built"),
    ("release/config_base.py", "base.__getattribute__", "the base class of configurations, while it is built"),
    ("release/deferred.py", "cls.__setattr__", "a class of the release, while it is made"),
    ("release/model_base.py", "type.__setattr__", "the base class of models, while it is built"),
    ("shapes/module.py", "object.__delattr__", "called by the gate, which knows receiver and name"),
}


def functions_of(tree: ast.AST) -> Iterator[ast.AST]:
    """Everything that runs later than the import of the module: nothing evaluated exists before."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            yield from (
                inner
                for part in ([node.body] if isinstance(node, ast.Lambda) else node.body)
                for inner in ast.walk(part)
            )


def offences(text: str) -> Iterator[str]:
    for node in functions_of(ast.parse(text)):
        if isinstance(node, ast.Call):
            yield from _calls(node)
        elif isinstance(node, ast.Attribute) and node.attr in INSIDE and ast.unparse(node) != "self.__dict__":
            yield ast.unparse(node)


def _calls(node: ast.Call) -> Iterator[str]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name in REFLECTIVE:
        yield ast.unparse(node)
    elif name in ("find", "has"):
        if not (isinstance(node.args[1], ast.Constant) and isinstance(node.args[1].value, str)):
            yield ast.unparse(node)
    elif isinstance(node.func, ast.Call) and isinstance(node.func.func, ast.Name) and node.func.func.id == "type":
        yield ast.unparse(node)


def sources() -> list[str]:
    found = (str(path.relative_to(TOP)).replace("\\", "/") for path in TOP.rglob("*.py"))
    apart = ("language/gate/", "sandbox/")  # the gate itself, and the processes, which never hold an evaluated value
    return sorted(name for name in found if not name.startswith(apart))


@pytest.mark.parametrize("name", sources())
def test_nothing_but_the_gate_reflects_on_a_value(name: str) -> None:
    allowed = {text for file, text, _ in ALLOWED if file == name}
    assert set(offences((TOP / name).read_text())) - allowed == set()


def test_no_exception_from_the_rule_is_left_over() -> None:
    used = {(name, text) for name in sources() for text in offences((TOP / name).read_text())}
    assert {(file, text) for file, text, _ in ALLOWED} - used == set()


@pytest.mark.parametrize(
    "line",
    [
        "getattr(x, name)",
        "getattr(x, 'name')",
        "setattr(x, name, 1)",
        "hasattr(x, 'y')",
        "delattr(x, y)",
        "vars(x)",
        "dir(x)",
        "x.__dict__",
        "type(x)(1)",
        "find(x, name)",
        "has(x, f'{name}')",
        "x.__func__.y",
        "object.__setattr__(x, y, z)",
        "[getattr(y, 'z') for y in x]",
    ],
)
def test_the_rule_sees_each_form(line: str) -> None:
    assert list(offences(f"def f(x, y, z, name):\n    return {line}"))
    assert list(offences(f"f = lambda x, y, z, name: {line}"))


@pytest.mark.parametrize("line", ["find(x, 'name')", "self.__dict__", "read(x, name)", "type(x) is int", "has(x, 'y')"])
def test_the_rule_lets_the_rest_pass(line: str) -> None:
    assert not list(offences(f"def f(self, x, name):\n    return {line}"))


def test_a_class_says_rightly_whether_plain_data_is_mixed_in() -> None:
    todo: list[type] = [Open]
    while todo:
        cls = todo.pop()
        todo += cls.__subclasses__()
        mixed = issubclass(cls, (*DATA, BaseException))
        assert cls.__dict__.get("__direct__", not mixed) is not mixed, cls  # type: ignore[comparison-overlap]
        assert cls.__direct__ is not mixed, cls  # type: ignore[attr-defined]


def test_a_class_of_evaluated_code_with_plain_data_says_so(tmp_path: Path) -> None:
    from tests.interpret.sources import evaluate

    for base in ("dict", "str", "int", "ValueError"):
        cls = evaluate(tmp_path, f"class A({base}): pass\nclass B(A): pass\nresult = B")
        assert (issubclass(cls, SourceObject), cls.__direct__) == (True, False)
