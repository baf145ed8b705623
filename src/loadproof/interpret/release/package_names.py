"""Names that remote code takes from installed packages and that their text does not bear out.

Imports from torch, and attributes of every package that is imported: `torch.no_such`, `nn.NoSuch` after `from torch
import nn`. A name that a package does not mention is only doubted, so that the model is not said to load.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple

from loadproof.interpret.release.package_text import PackageText

_FROM = re.compile(r"^[ \t]*from[ \t]+([A-Za-z_][\w.]*)[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n(]{0,400})", re.M)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n#;]{1,2000})", re.M)
_CHAIN = re.compile(r"(?<![\w.])([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)+)")
_ASKED = re.compile(r"\b[gh](?:et|as)attr\([ \t\n]*([A-Za-z_][\w.]*)[ \t\n]*,[ \t\n]*[\"'](\w+)[\"']")
_MOST = 5_000  # attributes of a repository's code that are looked up


class Names(NamedTuple):
    """`doubted`: imports from torch, a module that is not there ends in a dot; `borne`: attributes that a text mentions;
    `modules`: those among them that are modules; `read`: packages that have a text."""

    doubted: frozenset[str] = frozenset()
    borne: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()


def names_of(texts: Iterable[str]) -> Names:
    """What the installed packages say of the names that some Python texts take from them."""
    package = cache(PackageText)
    given = list(texts)
    imports = {pair for text in given for pair in _imported(text)}
    chains = {chain for text in given for chain in _chains(text, package)}
    borne: set[str] = set()
    modules: set[str] = set()
    for module, parts in sorted(chains)[:_MOST]:
        _look_up(package(module.split(".")[0]), module, parts, borne, modules)
    tops = {module.split(".")[0] for module, _ in (*imports, *chains)}
    read = frozenset(top for top in tops if package(top).is_there)
    return Names(_doubted(imports, package("torch")), frozenset(borne), frozenset(modules), read)


def _doubted(imports: set[tuple[str, str]], torch: PackageText) -> frozenset[str]:
    wanted = {pair for pair in imports if pair[0].split(".")[0] == "torch"}
    if not wanted or not torch.is_there:
        return frozenset()
    absent = {f"{module}." for module, _ in wanted if not _is_module(torch, module)}
    names = {f"{module}.{name}" for module, name in wanted if name and not torch.may_have(module, name)}
    return frozenset(absent | names)


def _is_module(package: PackageText, module: str) -> bool:
    """A module of its own, or one that the module above it puts together."""
    parent, _, last = module.rpartition(".")
    return package.has_module(module) or (package.has_module(parent) and package.may_have(parent, last))


def _look_up(package: PackageText, module: str, parts: tuple[str, ...], borne: set[str], modules: set[str]) -> None:
    """Follow `module.a.b` as long as it leads through modules; what a class or a function has is not looked up."""
    modules.add(module)
    for part in parts:
        if not package.may_have(module, part):
            return
        module = f"{module}.{part}"
        borne.add(module)
        if not package.has_module(module):
            return
        modules.add(module)


# ---------------------------------------------------------------- what a text takes from where
def _imported(text: str) -> Iterator[tuple[str, str]]:
    """(module, name) of each import; the name is empty where the module itself is imported."""
    yield from ((module, "") for module, _ in _whole_imports(text))
    yield from ((module, name) for module, name, _ in _from_imports(text))


def _whole_imports(text: str) -> Iterator[tuple[str, str]]:
    for names in _IMPORT.findall(text):
        for part in names.split(","):
            words = part.split()
            if words and all(word.isidentifier() for word in words[0].split(".")):
                yield words[0], words[2] if len(words) == 3 and words[1] == "as" else ""


def _from_imports(text: str) -> Iterator[tuple[str, str, str]]:
    for module, names in _FROM.findall(text):
        lines = (line.split("#")[0] for line in names.strip("()").split("\n"))
        for words in (part.split() for line in lines for part in line.split(",")):
            if words:
                yield module, words[0], words[2] if len(words) == 3 else words[0]


def _chains(text: str, package: Callable[[str], PackageText]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """(module, attributes) of every dotted name whose first part an import binds to a module."""
    bound = _bound_modules(text, package)
    found = [(first, rest[1:]) for first, rest in _CHAIN.findall(text)]
    found += [(*owner.partition(".")[::2], name) for owner, name in _ASKED.findall(text)]
    for first, *rest in found:
        parts = tuple(part for dotted in rest if dotted for part in dotted.split("."))
        yield from ((module, parts) for module in bound.get(first, ()))


def _bound_modules(text: str, package: Callable[[str], PackageText]) -> dict[str, set[str]]:
    """Name -> the modules that imports of this text bind to it."""
    bound: dict[str, set[str]] = {}
    for module, alias in _whole_imports(text):
        bound.setdefault(alias or module.split(".")[0], set()).add(module if alias else module.split(".")[0])
    for module, name, alias in _from_imports(text):
        whole = f"{module}.{name}"
        if package(module.split(".")[0]).has_module(whole):
            bound.setdefault(alias, set()).add(whole)
    return {name: {m for m in found if m.split(".")[0] != "transformers"} for name, found in bound.items()}
