"""Names: one scope per function call or comprehension, falling through to the enclosing ones and to the file."""

from __future__ import annotations

from typing import Any

from loadproof.interpret.language.limits import Budget

# Names that no source text can spell: what a call keeps beside its own.
CLASS, SELF, YIELDS, CAUGHT = ":class", ":self", ":yields", ":caught"


class Scope(dict[str, Any]):
    """One scope. A miss falls through to the parent, then to the file's lazily evaluated names."""

    __slots__ = ("budget", "comprehension", "file", "parent", "redirected")

    def __init__(self, parent: Scope | None, file: Any, budget: Budget, comprehension: bool = False) -> None:
        self.parent, self.file, self.budget, self.comprehension = parent, file, budget, comprehension
        self.redirected: dict[str, dict[str, Any]] | None = None  # names declared global or nonlocal

    def __missing__(self, name: str) -> Any:
        return self.file.resolve(name) if self.parent is None else self.parent[name]

    def assign(self, name: str, value: Any) -> None:
        target: dict[str, Any] = self
        if self.redirected is not None:
            target = self.redirected.get(name, self)
        target[name] = value

    def redirect(self, name: str, target: dict[str, Any]) -> None:
        self.redirected = {**(self.redirected or {}), name: target}

    def owner_of(self, name: str) -> Scope:
        """The enclosing function scope that a `nonlocal` name belongs to."""
        scope = self.parent
        while scope is not None and name not in scope:
            scope = scope.parent
        if scope is None:
            raise SyntaxError(f"no binding for nonlocal '{name}' found")
        return scope


def is_private(name: str) -> bool:
    """Whether Python puts the class's name before it: `__cache`, not `__init__`."""
    return name.startswith("__") and not name.endswith("__")


def mangled(name: str, env: Scope) -> str:
    """A private name as the class whose method is being evaluated keeps it; unchanged outside of classes."""
    scope: Scope | None = env
    while scope is not None and CLASS not in scope:
        scope = scope.parent
    owner = scope[CLASS] if scope is not None else None
    return name if owner is None else mangled_in(name, owner.__name__)


def mangled_in(name: str, owner: str) -> str:
    """A private name in the class `owner`; any other name as it is."""
    owner = owner.lstrip("_")
    return f"_{owner}{name}" if owner and is_private(name) else name
