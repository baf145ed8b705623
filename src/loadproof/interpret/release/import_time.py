"""What runs when a module is imported, as statements: annotations are evaluated beside what they stand at.

Python 3.11 to 3.13 evaluate the annotations of a function where it is defined, and those of variables in modules and
classes, unless the module begins with ``from __future__ import annotations``. The evaluator leaves them out, as they mean
nothing to it; here each becomes an expression statement in front of its definition.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from loadproof.interpret.language.closures import STATEMENTS, Step
from loadproof.interpret.language.errors import LimitReached, NotUnderstood, UnknownName, is_certain
from loadproof.interpret.language.grammar import expression
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.release.plain_failures import is_plain

_BLOCKS = ("body", "orelse", "finalbody")
_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


class Annotation(ast.Expr):
    """An annotation that is evaluated and means nothing."""


def _annotation(node: Annotation) -> Step:
    value, line = expression(node.value), node.lineno

    def run(env: Scope) -> None:
        env.budget.line = line
        try:
            value(env)
        except (LimitReached, UnknownName):
            raise
        except NotUnderstood:
            pass
        except (TypeError, AttributeError) as problem:  # of a stand-in: what it stands for may be combined otherwise
            if is_certain(problem) or is_plain(problem, str(problem)):
                raise

    return run


STATEMENTS[Annotation] = _annotation


def postponed(tree: ast.Module) -> bool:
    """Whether the module leaves its annotations unevaluated."""
    return any(
        isinstance(s, ast.ImportFrom) and s.module == "__future__" and any(a.name == "annotations" for a in s.names)
        for s in tree.body
    )


def with_annotations(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements of a module or class body, with what evaluating their annotations amounts to."""
    found: list[ast.stmt] = []
    for node in body:
        found += [ast.copy_location(Annotation(a), a) for a in _annotations_of(node)]
        if not isinstance(node, _OWN):
            _inside(node)
        found.append(node)
    return found


def _annotations_of(node: ast.stmt) -> Iterator[ast.expr]:
    """The annotations that a definition or an assignment evaluates."""
    if isinstance(node, ast.AnnAssign):
        yield node.annotation
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        a = node.args
        given = [*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg]
        yield from (x.annotation for x in given if x is not None and x.annotation is not None)
        if node.returns is not None:
            yield node.returns


def _inside(node: ast.stmt) -> None:
    """The same for the blocks of a compound statement, in place."""
    for name in _BLOCKS:
        block = node.__dict__.get(name)
        if isinstance(block, list) and block:
            node.__dict__[name] = with_annotations(block)
    for part in (*node.__dict__.get("handlers", ()), *node.__dict__.get("cases", ())):
        part.body = with_annotations(part.body)


def guarded_lines(tree: ast.Module) -> frozenset[int]:
    """Lines of the imports inside of a `try` whose failure is handled."""
    tries = [n for n in ast.walk(tree) if isinstance(n, ast.Try) and n.handlers]
    inner = (x for t in tries for s in t.body for x in ast.walk(s))
    return frozenset(x.lineno for x in inner if isinstance(x, (ast.Import, ast.ImportFrom)))
