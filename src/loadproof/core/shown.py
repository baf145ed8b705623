"""What every result can do: a short `repr`, and itself whole as text, dict or JSON."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

from msgspec import Struct


class Shown(Struct, frozen=True):
    """A result of a use-case. Its `kind` leads to its outputs in the table of `loadproof.report.registry`."""

    kind: ClassVar[str] = ""

    def __repr__(self) -> str:
        return short(f"<{type(self).__name__} {self.brief()}>")

    def brief(self) -> str:
        """The answer in a few words, for `repr`."""
        return self.kind

    def text(self, *, verbose: bool = False, color: bool = False, width: int | None = None) -> str:
        """What the command prints; folded to `width` columns where one is given."""
        return _rendered(self, "text", verbose=verbose, color=color, width=width)

    def to_json(self) -> str:
        """What the command prints with ``--format json``."""
        return _rendered(self, "json")

    def to_dict(self) -> dict[str, Any]:
        """`to_json` as plain dicts and lists."""
        from msgspec.json import decode

        found = decode(self.to_json())
        return found if isinstance(found, dict) else {self.kind: found}


def short(text: str) -> str:
    """One line that no terminal obeys: names from files stand in it."""
    return str(import_module("loadproof.report.escape").clean(text))


def _rendered(result: Shown, form: str, **look: Any) -> str:
    """Asked for by name: the structs stand below the reports and know nothing of them but this."""
    return str(import_module("loadproof.report.registry").render(result, form, **look))
