"""Names that a statement binds, and those whose value it changes in place."""

from __future__ import annotations

import ast


def bound_names(s: ast.stmt) -> list[str]:
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


def changed_names(s: ast.stmt) -> list[str]:
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


def amends(s: ast.stmt) -> bool:
    """Whether a statement adds to an imported table: `NAMES.update(...)`, `NAMES[key] = value`."""
    if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) and isinstance(s.value.func, ast.Attribute):
        return s.value.func.attr in ("update", "append", "extend", "setdefault") and isinstance(
            s.value.func.value, ast.Name
        )
    return isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Subscript)
