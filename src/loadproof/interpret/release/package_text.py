"""What the text of an installed package says of its modules and their names; nothing is imported.

The text does not say everything: a name that it does not mention is only doubted.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from functools import cached_property
from typing import Any

from loadproof.interpret.language.errors import LimitReached
from loadproof.interpret.language.gate import find
from loadproof.interpret.release.disk import Disk, on_disk
from loadproof.interpret.release.files import RELEASE, text_of

_STAR = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+\*", re.M)
_DYNAMIC = re.compile(
    r"\bglobals\(\)|\bvars\(\)|^def __getattr__|\bsetattr\((?:sys|module)|lazy_loader|sys\.modules\[__name__\]", re.M
)
# Stubs of what a package takes out of compiled code, where they do not lie beside its text.
_STUBS = {"torch": ("torch._C", "torch._C._VariableFunctions"), "torch.nn.functional": ("torch._C._nn",)}
_ABSENT = object()
_DEPTH = 3  # of `import *` from module to module


class PackageText:
    """The text of one package; `is_there` is false for one that is not installed or has no text."""

    def __init__(self, top: str) -> None:
        self.top = top
        self._texts: dict[tuple[str, str], str | None] = {}
        self._is_file = False

    @cached_property
    def _files(self) -> Disk | None:
        """The folder of the package, or the one that a module of one file lies in."""
        try:
            spec = importlib.util.find_spec(self.top)
        except (ImportError, ValueError, AttributeError):
            return None
        places = list(spec.submodule_search_locations or ()) if spec is not None else []
        if spec is not None and not places and (spec.origin or "").endswith(f"{self.top}.py"):
            places, self._is_file = [str(spec.origin).removesuffix(f"{self.top}.py").rstrip("/\\") or "/"], True
        return on_disk(places[0], is_trusted=True) if len(places) == 1 else None

    @property
    def is_there(self) -> bool:
        return self._loaded(self.top) is not None or self.text(self.top) is not None

    def _loaded(self, module: str) -> Any:
        """A module of the standard library that this process has anyway, and which knows its names better than a text."""
        return sys.modules.get(module) if self.top in sys.stdlib_module_names else None

    def text(self, module: str, kind: str = "py") -> str | None:
        """The text of a module, or its stub (`pyi`); None where there is none that can be read."""
        if (module, kind) not in self._texts:
            self._texts[module, kind] = self._read(module, kind)
        return self._texts[module, kind]

    def _read(self, module: str, kind: str) -> str | None:
        files = self._files
        inside = module.split(".")[0 if self._is_file else 1 :]
        stem = "/".join([RELEASE, *inside])  # the folder of a package, whichever it is
        for path in (f"{stem}.{kind}", f"{stem}/__init__.{kind}"):
            try:
                data = files.read(path) if files is not None else None
            except LimitReached:
                return None
            if data is not None:
                return text_of(data)
        return None

    def has_module(self, module: str) -> bool:
        return self.text(module) is not None

    def may_have(self, module: str, name: str) -> bool:
        """Whether a module has a name as far as its text says; true where the text does not say which names there are."""
        loaded = self._loaded(module)
        if loaded is not None and name != "*":
            return find(loaded, name, _ABSENT) is not _ABSENT or self.has_module(f"{module}.{name}")
        if name == "*" or not self.has_module(module) or self.has_module(f"{module}.{name}"):
            return True
        return self._mentions(module, name, _DEPTH)

    def _mentions(self, module: str, name: str, depth: int) -> bool:
        text = self.text(module)
        stubs = [stub for m in (module, *_STUBS.get(module, ())) if (stub := self.text(m, "pyi")) is not None]
        known = stubs if text is None else [text, *stubs]
        if depth == 0 or not known or any(has_word(each, name) for each in known):
            return True
        if text is None:
            return False
        if not stubs and _DYNAMIC.search(text):
            return True
        return any(self._mentions(inner, name, depth - 1) for inner in self._stars(module, text))

    def _stars(self, module: str, text: str) -> list[str]:
        """Modules whose every name is imported; another package's, or compiled ones, have no text here."""
        return [module + m if m.startswith(".") else m for m in _STAR.findall(text)]


def has_word(text: str, word: str) -> bool:
    """Whether a name stands in a text by itself. A search for the letters is much faster than a pattern with `\\b`."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not (_in_word(text[at - 1 : at]) or _in_word(text[end : end + 1])):
            return True
        at = text.find(word, at + 1)
    return False


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"
