"""What the environment has installed, as data: whether an import of remote code finds its package depends on it.

Asked in the parent process and handed to the evaluation, which may not look for itself. Nothing is imported: the import
machinery is asked where a top-level name lies.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress

import msgspec

from loadproof.interpret.language.errors import LimitReached
from loadproof.interpret.release.files import CODE, Files, text_of
from loadproof.interpret.release.locate import versions
from loadproof.interpret.release.package_names import Names, names_of

_IMPORT = re.compile(r"(?:^|[\n;:])[ \t]*(?:import|from)[ \t]+([^\n#;]{1,2000})")
_FIRST = re.compile(r"[ \t\\]*([A-Za-z_]\w*)")
_MOST_NAMES = 500


class Machine(msgspec.Struct, frozen=True):
    """`packages`: top-level name -> whether it is installed; `known` is false where this is not where the model loads."""

    known: bool = False
    packages: dict[str, bool] = {}
    is_snapshot: bool = False  # the folder is one of the hub's cache
    names: Names = Names()  # what the text of the installed packages says of names taken from them
    versions: dict[str, str] = {}  # of the installed distributions, see `locate`

    def has(self, name: str) -> bool | None:
        """Whether a top-level package is there; None when that is not known."""
        return self.packages.get(name) if self.known else None


NOT_KNOWN = Machine()


def survey(files: Files, folder: str, *, is_installed_release: bool) -> Machine:
    """Which packages named by the Python files of a repository are installed here.

    Not known where torch is not installed, or the release is not the installed one: then this is not the environment in
    which the model is loaded.
    """
    snapshot = os.path.basename(os.path.dirname(os.path.abspath(folder))) == "snapshots"
    if not is_installed_release or not is_installed("torch"):
        return Machine(False, {"torch": False} if is_installed_release else {}, snapshot, versions=versions())
    packages = {name: is_installed(name) for name in sorted(_named(_texts(files)))[:_MOST_NAMES]}
    return Machine(True, packages, snapshot, names_of(_texts(files)), versions())


def _texts(files: Files) -> Iterator[str]:
    for name, kind in files.list(CODE).items():
        if kind == "file":
            with suppress(LimitReached):
                yield text_of(files.read(f"{CODE}/{name}") or b"")


def _named(texts: Iterable[str]) -> set[str]:
    """Every word that may be the top-level package of an import; too many do no harm."""
    found = {"torch", "numpy", "transformers"}
    for text in texts:
        for match in _IMPORT.finditer(text):
            parts = match.group(1).split(",")
            found.update(first.group(1) for part in parts if (first := _FIRST.match(part)))
        found.update(re.findall(r"(?:find_spec|import_module|version)\(\s*[\"']([A-Za-z_]\w*)", text))
    return found


def is_installed(name: str) -> bool:
    """Whether `import name` finds something; a top-level name is looked for without importing anything."""
    import importlib.util

    if name in sys.builtin_module_names:
        return True
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, AttributeError):  # a module that is loaded and tells nothing of where it lies
        return name in sys.modules
