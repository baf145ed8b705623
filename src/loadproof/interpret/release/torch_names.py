"""Names that remote code imports from torch and that the installed torch has not, by its text.

torch is not imported here, and its text does not say everything: a name that a module does not mention is only doubted,
so that the model is not said to load.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Iterator

from loadproof.interpret.release.disk import Disk, on_disk
from loadproof.interpret.release.files import RELEASE, text_of

_FROM = re.compile(r"^[ \t]*from[ \t]+(torch(?:\.\w+)*)[ \t]+import[ \t]+(\([^)]{0,4000}\)|[^\n(]{0,400})", re.M)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+(torch(?:\.\w+)+)", re.M)
_STAR = re.compile(r"^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+\*", re.M)
_DYNAMIC = re.compile(
    r"\bglobals\(\)|^def __getattr__|\b_C\b|^[ \t]*from[ \t]+[\w.]*_C[\w.]*[ \t]+import|setattr\(", re.M
)


def doubted(texts: Iterable[str]) -> frozenset[str]:
    """Dotted names of imports from torch that its text does not bear out; a module that is not there ends in a dot."""
    wanted = {dotted for text in texts for dotted in _imported(text)}
    spec = importlib.util.find_spec("torch") if wanted else None
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not places:
        return frozenset()
    files = on_disk(places[0], is_trusted=True)  # the folder of a package, whichever it is
    absent = {f"{module}." for module, _ in wanted if not _is_there(files, module)}
    names = {f"{module}.{name}" for module, name in wanted if name and not _may_have(files, module, name)}
    return frozenset(absent | names)


def _imported(text: str) -> Iterator[tuple[str, str]]:
    yield from ((module, "") for module in _IMPORT.findall(text))
    for module, names in _FROM.findall(text):
        lines = (line.split("#")[0] for line in names.strip("()").split("\n"))
        yield from ((module, part.split()[0]) for line in lines for part in line.split(",") if part.split())


def _is_there(files: Disk, module: str) -> bool:
    if _text(files, module) is not None:
        return True
    parent, _, last = module.rpartition(".")
    above = _text(files, parent)
    return above is not None and re.search(rf"\b{last}\b", above) is not None


def _may_have(files: Disk, module: str, name: str) -> bool:
    if name == "*" or _text(files, module) is None or _text(files, f"{module}.{name}") is not None:
        return True
    return _mentions(files, module, name, 3)


def _mentions(files: Disk, module: str, name: str, depth: int) -> bool:
    text = _text(files, module)
    if text is None or depth == 0 or _DYNAMIC.search(text) or re.search(rf"\b{re.escape(name)}\b", text):
        return True
    below = (m if not m.startswith(".") else module + m for m in _STAR.findall(text))
    return any(_mentions(files, inner, name, depth - 1) for inner in below)


def _text(files: Disk, module: str) -> str | None:
    stem = "/".join([RELEASE, *module.split(".")[1:]])
    for path in (f"{stem}.py", f"{stem}/__init__.py"):
        data = files.read(path)
        if data is not None:
            return text_of(data)
    return None
