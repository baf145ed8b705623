"""One source file: an index of its top-level names; a name is evaluated when it is first asked for."""

from __future__ import annotations

import ast
import re
from typing import Any

from loadproof.interpret.language.builtin_names import BUILTINS
from loadproof.interpret.language.errors import NotUnderstood, SourceMissing, UnsupportedSyntax
from loadproof.interpret.language.grammar import expression, method, statement
from loadproof.interpret.language.scope import Scope
from loadproof.interpret.language.standard_library import MODULES
from loadproof.interpret.language.values import Members
from loadproof.interpret.release import class_members, classes, lazy_members
from loadproof.interpret.release.definitions import ClassSource, class_from_chunk, class_source, function_source, parse
from loadproof.interpret.release.packages import why_undefined
from loadproof.interpret.release.ports import World
from loadproof.interpret.release.source_text import Chunk, split

_ASSIGNS = re.compile(r"([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=)")
_AVAILABILITY = re.compile(r"\bis_\w+\(|available|AVAILABLE|TYPE_CHECKING")
_PRESENT = {"torch", "numpy", "transformers"}


class SourceFile:
    """`defs` maps a name to its definitions in order: chunks, syntax nodes or import tuples."""

    def __init__(self, world: World, name: str, path: str) -> None:
        self.world, self.name, self.path, self.label = world, name, path, path.rpartition("/")[2]
        self.is_package = self.label == "__init__.py"
        self.globals: dict[str, Any] = {"__name__": name, "__file__": self.label}
        self.defs: dict[str, list[Any]] = {}
        self.imports: list[ast.ImportFrom] = []  # those that run whenever the module is imported
        self.busy: set[str] = set()
        self._index(world.text(path))

    # ---- index
    def _index(self, text: str) -> None:
        try:
            for chunk in split(text):
                self._index_chunk(chunk)
        except SyntaxError:  # unusual layout: parse the whole file instead
            self.defs, self.imports = {}, []
            self._index_top(parse(text))

    def _index_chunk(self, chunk: Chunk) -> None:
        found = chunk.defines()
        if found is not None:
            self.defs[found[1]] = [chunk]
            return
        assigned = _ASSIGNS.match(chunk.text)
        if assigned is not None:
            self.defs.setdefault(assigned.group(1), []).append(chunk)
            return
        self._index_top(parse(chunk.text, chunk.line))

    def _index_top(self, body: list[ast.stmt]) -> None:
        self.imports += [s for s in body if isinstance(s, ast.ImportFrom)]
        self._index_nodes(body)

    def _index_nodes(self, body: list[ast.stmt]) -> None:
        for node in body:
            self._index_node(node)

    def _index_node(self, s: ast.stmt) -> None:
        if isinstance(s, (ast.ClassDef, ast.FunctionDef)):
            self.defs[s.name] = [s]
        elif isinstance(s, ast.Import):
            for a in s.names:
                top = a.name.split(".")[0]
                self.defs[a.asname or top] = [("import", a.name if a.asname else top)]
        elif isinstance(s, ast.ImportFrom):
            for a in s.names:
                self.defs[a.asname or a.name] = [("from", s.level, s.module, a.name)]
        elif isinstance(s, ast.If):
            self._index_if(s)
        elif isinstance(s, ast.Try):
            self._index_try(s)
        else:
            self._index_other(s)

    def _index_other(self, s: ast.stmt) -> None:
        """Assignments, and statements that change what a name holds: replayed in order when the name is asked for."""
        for name in dict.fromkeys([*_bound_names(s), *_changed_names(s), *self._changed_by_call(s)]):
            known = self.defs.get(name)
            if known is None or not isinstance(known[0], tuple) or isinstance(known[0], Chunk) or _amends(s):
                self.defs.setdefault(name, []).append(s)

    def _changed_by_call(self, s: ast.stmt) -> list[str]:
        """Tables of the file that a bare call of one of its functions fills: `register(Template(...))`."""
        function = s.value.func if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) else None
        definitions = self.defs.get(function.id, ()) if isinstance(function, ast.Name) else ()
        found: list[str] = []
        for d in definitions:
            nodes = parse(d.text, d.line) if isinstance(d, Chunk) else [d] if isinstance(d, ast.FunctionDef) else []
            for inner in (x for node in nodes for x in ast.walk(node) if isinstance(x, (ast.Assign, ast.Expr))):
                found += [name for name in _changed_names(inner) if name in self.defs]
        return found

    def _index_try(self, s: ast.Try) -> None:
        if imports_absent_package(s.body):
            for handler in s.handlers:
                self._index_nodes(handler.body)
        else:
            self._index_nodes(s.body)

    def _index_if(self, s: ast.If) -> None:
        """Top-level `if`: torch is available, every other optional package is not. Any other test is evaluated."""
        test = ast.unparse(s.test)
        if _AVAILABILITY.search(test) is None:
            self._index_other(s)
            return
        other = any(x in test for x in ("not", "npu", "xla", "flex"))
        if "TYPE_CHECKING" in test or "is_torch_available" in test or ("is_torch_" in test and not other):
            self._index_nodes(s.body)
            return
        self._index_nodes(s.orelse)
        if "is_" in test and not s.orelse:
            for x in s.body:
                if isinstance(x, (ast.ClassDef, ast.FunctionDef)):
                    self.defs.setdefault(x.name, [x])

    # ---- names
    def resolve(self, name: str) -> Any:
        """The value of a top-level name, or of a builtin. Raises NotUnderstood when there is no such name."""
        found = self.globals
        if name in found:
            return found[name]
        if name not in self.defs:
            if name in BUILTINS:
                return BUILTINS[name]
            raise NotUnderstood(why_undefined(name, self.label, self.world.text(self.path)))
        if name in self.busy:
            raise NotUnderstood(f"{self.label}: {name} is defined through itself")
        self.busy.add(name)
        try:
            self._evaluate(name)
        finally:
            self.busy.discard(name)
        return found[name]

    def _evaluate(self, name: str) -> None:
        glue = self.world.glue(self.name, name)
        if glue is not None:
            self.globals[name] = glue
            return
        budget = self.world.budget
        line, file = budget.line, budget.file
        budget.file = self.label
        try:
            for definition in self.defs[name]:
                self._define(name, definition)
        except Exception as problem:
            budget.note(problem)
            raise
        finally:
            budget.line, budget.file = line, file
        if name not in self.globals:
            raise SourceMissing(f"{self.label} does not define {name}")

    def _define(self, name: str, d: Any) -> None:
        if isinstance(d, tuple) and not isinstance(d, Chunk):
            value = self.world.external(d[1]) if d[0] == "import" else self.world.import_from(self, *d[1:])
            self.globals[name] = value
        elif isinstance(d, Chunk) and d.defines() is None:
            for node in parse(d.text, d.line):
                self._run(node)
        elif isinstance(d, (Chunk, ast.ClassDef, ast.FunctionDef)):
            self.globals[name] = self._definition(d)
        else:
            self._run(d)

    def _definition(self, d: Any) -> Any:
        source = definition_source(d)
        if isinstance(source, ClassSource):
            return self.make_class(source)
        if any("as_validated_field" in x for x in source.decorators):
            return lazy_members.plain_field
        if any(x.endswith("contextmanager") for x in source.decorators):
            return lazy_members.any_context
        return method(source.node(), self, None)

    def _run(self, node: ast.stmt) -> None:
        env = Scope(None, self, self.world.budget)
        statement(node)(env)
        self.globals.update(env)

    def unbound(self, name: str, *, is_local: bool) -> Exception:
        """The exception for a name that a function of this file reads before it binds it."""
        if is_local:
            return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")
        where = "where it is not associated with a value in enclosing scope"
        return NameError(f"cannot access free variable '{name}' {where}")

    def evaluate(self, node: ast.expr, local: dict[str, Any] | None = None) -> Any:
        env = Scope(None, self, self.world.budget)
        env.update(local or {})
        return expression(node)(env)

    def class_definition(self, name: str) -> ClassSource | None:
        """The class statement of this name, even when the name is bound again later."""
        for d in self.defs.get(name, ()):
            if isinstance(d, ast.ClassDef) or (isinstance(d, Chunk) and (d.defines() or ("",))[0] == "class"):
                source: ClassSource = definition_source(d)
                return source
        return None

    def defines(self, name: str) -> bool:
        return name in self.defs

    def assigns(self, name: str) -> bool:
        """Whether the file itself gives a value to this name, rather than importing it."""
        first = next(iter(self.defs.get(name, ())), None)
        return first is not None and (isinstance(first, (Chunk, ast.stmt)))

    def replay(self, name: str) -> None:
        """Run what this file does to an imported name, whose value must stand in `globals`."""
        for definition in self.defs.get(name, ()):
            if isinstance(definition, (Chunk, ast.stmt)):
                self._define(name, definition)

    def syntax_of(self, name: str) -> Any:
        """The expression assigned to a top-level name, unevaluated."""
        d = self.defs[name][-1]
        node: Any = parse(d.text, d.line)[0] if isinstance(d, Chunk) else d
        return node.value

    def make_class(self, source: Any, env: Scope | None = None) -> Any:
        if isinstance(source, ast.ClassDef):
            source = class_source(source)
        return classes.make_class(self, source, env)

    def fill_class(
        self, source: ClassSource, members: Members, fields: dict[str, Any], env: Scope | None
    ) -> list[Scope]:
        """Add what the body of a class statement defines; returns the scopes that wait for the class itself."""
        return class_members.fill(self, source, members, fields, env)

    # ---- imports; `line` is where the statement stands
    def import_module(self, name: str, alias: str | None, line: int) -> Any:  # noqa: ARG002
        return self.world.external(name if alias else name.split(".")[0])

    def import_from(self, level: int, module: str | None, name: str, line: int) -> Any:  # noqa: ARG002
        return self.world.import_from(self, level, module, name)

    def import_all(self, level: int, module: str | None, line: int) -> dict[str, Any]:  # noqa: ARG002
        raise NotUnderstood(f"{self.label}:{line} imports every name of a module")


def _bound_names(s: ast.stmt) -> list[str]:
    """Names that a statement binds in its own scope; what definitions inside of it bind is theirs."""
    found: list[str] = []
    todo: list[ast.AST] = [s]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.append(node.name)
            continue
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found += [(a.asname or a.name).split(".")[0] for a in node.names]
        todo.extend(ast.iter_child_nodes(node))
    return found


def _changed_names(s: ast.stmt) -> list[str]:
    """Names whose value a statement changes in place: `a.b = 1`, `a[0] = 1`, `a.append(1)`."""
    changed = [n for n in ast.walk(s) if isinstance(n, (ast.Attribute, ast.Subscript)) and isinstance(n.ctx, ast.Store)]
    owners: list[ast.expr] = list(changed)
    method = s.value.func if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) else None
    if isinstance(method, ast.Attribute) and not method.attr.startswith("register"):
        owners.append(method)
    return [name for name in map(_root_name, owners) if name is not None]


def _root_name(node: ast.expr) -> str | None:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _amends(s: ast.stmt) -> bool:
    """Whether a statement adds to an imported table: `NAMES.update(...)`, `NAMES[key] = value`."""
    if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute):
        return s.value.func.attr in ("update", "append", "extend", "setdefault") and isinstance(
            s.value.func.value, ast.Name
        )
    return isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Subscript)


def definition_source(d: Any) -> Any:
    if isinstance(d, Chunk):
        if (d.defines() or ("",))[0] == "class":
            return class_from_chunk(d)
        lacks_yield = "yield" not in d.text
        d = parse(d.text, d.line)[0]
        d.lacks_yield = lacks_yield
    if isinstance(d, ast.ClassDef):
        return class_source(d)
    if isinstance(d, ast.FunctionDef):
        return function_source(d)
    raise UnsupportedSyntax(type(d).__name__)


def imports_absent_package(body: list[ast.stmt]) -> bool:
    """`try: from apex... except ImportError:` - only torch, numpy, transformers and the standard library exist here."""
    for s in body:
        if isinstance(s, ast.Import):
            packages = [a.name for a in s.names]
        elif isinstance(s, ast.ImportFrom) and not s.level:
            packages = [s.module or ""]
        else:
            continue
        if any(p.split(".")[0] not in _PRESENT and p not in MODULES for p in packages):
            return True
    return False
