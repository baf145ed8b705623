"""A file of remote code: parsed and compiled whole, then run in order as Python runs a module.

A release's files are read lazily, name by name (`SourceFile`); they are known to import. Here the import itself is the
question: a statement that raises ends it with that exception, and one that the evaluator cannot follow ends it
`inconclusive`.
"""

from __future__ import annotations

import ast
import builtins
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from loadproof.interpret.language.builtin_names import BUILTINS
from loadproof.interpret.language.errors import NotUnderstood, UnknownName, certain, is_certain
from loadproof.interpret.language.grammar import called, decorated, statement
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.values import Members, Value, function_of, items_of
from loadproof.interpret.release import class_body, coding, importing
from loadproof.interpret.release.definitions import ClassSource, class_source
from loadproof.interpret.release.import_time import guarded_lines, postponed, with_annotations
from loadproof.interpret.release.ports import World
from loadproof.interpret.release.source_file import SourceFile

_PYTHON_FRAMES = 1_000  # the recursion limit of an interpreter that nobody changed
_MODULE = ("__annotations__", "__builtins__", "__loader__", "__spec__", "__cached__")
_OF_SITE = frozenset(
    ["exit", "quit", "copyright", "credits", "license", "help"]
)  # builtins that an interpreter may lack


class RemoteFile(SourceFile):
    """`globals` is the module's scope; `state` is "", "running" or "done"."""

    def __init__(self, world: World, name: str, path: str) -> None:
        self.world, self.name, self.path, self.label = world, name, path, path.rpartition("/")[2]
        self.is_package = False
        self.busy = set()
        self.state, self.stars = "", False
        self.is_top = False  # the library runs it itself, and Python does not see that it is not done
        tree = compiled(world.files.read(path) or b"", self.label)
        self.postponed = postponed(tree)
        self.guarded = guarded_lines(tree)
        self.body = tree.body if self.postponed else with_annotations(tree.body)
        self.defs = {s.name: [s] for s in ast.walk(tree) if isinstance(s, ast.ClassDef)}
        self._clear()

    def _clear(self) -> None:
        self.globals: Scope = Scope(None, self, self.world.budget)
        package = self.name.rpartition(".")[0]
        self.globals.update(__name__=importing.shown(self.name), __file__=self.label, __doc__=None, __package__=package)

    # ---- running
    def run(self) -> None:
        """Run the module unless that has begun. Raises what its first failing statement raises."""
        if self.state:
            return
        self.state = "running"
        budget = self.world.budget
        line, file = budget.line, budget.file
        budget.file = self.label
        try:
            for node in self.body:
                budget.line = node.lineno
                self._step(node)
        except Exception as problem:
            budget.note(problem)
            self.state = ""
            self._clear()
            raise
        finally:
            budget.line, budget.file = line, file
        self.state = "done"

    def _step(self, node: ast.stmt) -> None:
        try:
            statement(node)(self.globals)
        except (NotUnderstood, RecursionError) as problem:
            if "import of" in str(problem) or isinstance(problem, RecursionError):
                raise
            raise type(problem)(f"{problem} (import of {self.label}, line {node.lineno})") from problem

    # ---- names
    def resolve(self, name: str) -> Any:
        """A global name or a builtin. Raises NameError as Python does, or NotUnderstood where that is not known."""
        if name in self.globals:
            return self.globals[name]
        if name in BUILTINS:
            return BUILTINS[name]
        if self.stars or name in _MODULE or name in _OF_SITE or hasattr(builtins, name):
            raise UnknownName(f"the name {name!r} in {self.label} is not modelled")
        raise certain(NameError(f"name '{name}' is not defined"))

    def unbound(self, name: str, *, is_local: bool) -> Exception:
        return certain(super().unbound(name, is_local=is_local))

    def member(self, name: str) -> Value:
        """What `from module import name` binds. Raises ImportError where the module has no such name."""
        self.run()
        if name in self.globals:
            return self.globals[name]
        if "__getattr__" in self.globals:
            return self._asked(name)
        if self.stars:
            raise NotUnderstood(f"whether {self.label} has {name!r} depends on what its `import *` brings")
        raise certain(ImportError(self._lacks(name), name=self.name, path=self.path))

    def _asked(self, name: str) -> Value:
        try:
            return function_of(self.globals["__getattr__"])(name)
        except AttributeError:
            raise certain(ImportError(self._lacks(name), name=self.name, path=self.path)) from None

    def attribute(self, name: str) -> Value:
        """What `module.name` gives. Raises AttributeError where `member` raises ImportError."""
        try:
            return self.member(name)
        except ImportError as problem:
            if not is_certain(problem) or problem.path != self.path:
                raise
            text = f"module '{importing.shown(self.name)}' has no attribute '{name}'"
            raise certain(AttributeError(text)) from None

    def _lacks(self, name: str) -> str:
        module = importing.shown(self.name)
        if self.state == "running" and not self.is_top:
            return (
                f"cannot import name '{name}' from partially initialized module '{module}' "
                f"(most likely due to a circular import) ({self.path})"
            )
        return f"cannot import name '{name}' from '{module}' ({self.path})"

    def public(self) -> dict[str, Any]:
        """What `from module import *` binds."""
        self.run()
        if self.stars:
            raise NotUnderstood(f"what `import *` from {self.label} brings is not known")
        if "__all__" in self.globals:
            names: list[Any] = list(items_of(self.globals["__all__"]))
            lacking = next((n for n in names if n not in self.globals), None)
            if lacking is not None and "__getattr__" not in self.globals:
                module = importing.shown(self.name)
                raise certain(AttributeError(f"module '{module}' has no attribute '{lacking}'"))
            return {n: self.member(n) for n in names}
        return {n: v for n, v in self.globals.items() if not n.startswith("_")}

    def assigns(self, name: str) -> bool:
        return name in self.globals

    def class_definition(self, name: str) -> ClassSource | None:
        node = self.defs[name][0] if name in self.defs else None
        return class_source(node) if isinstance(node, ast.ClassDef) else None

    # ---- statements that need to know the file
    def make_class(self, source: Any, env: Scope | None = None) -> Any:
        outer = None if env is self.globals else env
        made = super().make_class(source, outer)
        node = source if isinstance(source, ast.ClassDef) else None
        return self._decorated_class(node, made, env) if node is not None and node.decorator_list else made

    def _decorated_class(self, node: ast.ClassDef, made: Value, env: Scope | None) -> Value:
        scope = self.globals if env is None else env
        for decorator in reversed(node.decorator_list):
            made = decorated(called(decorator)(scope), made)
        return made

    def fill_class(
        self, source: ClassSource, members: Members, fields: dict[str, Any], env: Scope | None
    ) -> list[Scope]:
        return class_body.ClassBody(self, members, fields, env).run(source)

    def import_module(self, name: str, alias: str | None, line: int) -> Any:
        return importing.module(self, name, alias, line in self.guarded)

    def import_from(self, level: int, module: str | None, name: str, line: int) -> Any:
        return importing.member(self, level, module or "", name, line in self.guarded)

    def import_all(self, level: int, module: str | None, line: int) -> dict[str, Any]:
        return importing.everything(self, level, module or "", line in self.guarded)


def compiled(data: bytes, label: str) -> ast.Module:
    """The syntax tree of a file that Python can compile; the code object is dropped and never run.

    Raises the SyntaxError, or whatever else Python raises, of its import.
    """
    with _python_depth(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            text = coding.text_of(data, label)
            compile(text, coding.NOWHERE, "exec", dont_inherit=True)
            return ast.parse(text, coding.NOWHERE)
        except SyntaxError as problem:
            raise certain(coding.named(problem, label)) from None
        except ValueError as problem:
            raise certain(problem) from None
        except (RecursionError, MemoryError):
            raise NotUnderstood(f"{label} nests too deeply to be compiled for certain") from None


@contextmanager
def _python_depth() -> Iterator[None]:
    """The recursion limit that an importing interpreter has: the compiler's own limit follows it."""
    before, depth = sys.getrecursionlimit(), 0
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(min(before, depth + _PYTHON_FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
