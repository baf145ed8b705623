"""Where the source of a transformers release lies, and what else is installed, in which version.

The import machinery's path is looked at; nothing is imported, and no metadata file is read.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache

_VERSION = re.compile(r"""^__version__\s*=\s*["']([^"']+)["']""", re.M)
_MARK = "modeling_utils.py"
_INFO = re.compile(r"([A-Za-z0-9._]+)-([^-]+?)(?:-py\d[\d.]*)?\.(?:dist-info|egg-info)")
_HEAD = 20_000  # bytes of __init__.py in which the version stands


def find_source(source: str | None) -> str | None:
    """Package folder of the release: `source` itself or below it, else the installed one; None when there is none."""
    if source is not None:
        candidates = (source, os.path.join(source, "transformers"), os.path.join(source, "src", "transformers"))
        return next((os.path.abspath(c) for c in candidates if _is_package(c)), None)
    for entry in sys.path:
        candidate = os.path.join(entry or os.curdir, "transformers")
        if _is_package(candidate):
            return os.path.abspath(candidate)
    return _from_finders()


def find_package(name: str, mark: str, source: str | None) -> str | None:
    """The same for another library: the folder of the package, known by a file of it."""
    if source is None:
        places = (os.path.join(entry or os.curdir, name) for entry in sys.path)
    else:
        places = (os.path.join(source, below) for below in ("", name, os.path.join("src", name)))
    return next((os.path.abspath(place) for place in places if os.path.isfile(os.path.join(place, mark))), None)


def is_installed(root: str) -> bool:
    """Whether this package folder is the one of the running environment, whose code Python would run anyway."""
    installed = find_source(None)
    return installed is not None and os.path.realpath(installed) == os.path.realpath(root)


def _is_package(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, _MARK)) and os.path.isfile(os.path.join(folder, "__init__.py"))


def _from_finders() -> str | None:
    """Editable installs answer through a finder on `sys.meta_path`; find_spec of a top-level name imports nothing."""
    import importlib.util

    try:
        spec = importlib.util.find_spec("transformers")
    except (ImportError, ValueError, AttributeError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return next((os.path.abspath(p) for p in places if _is_package(p)), None)


def version_of(root: str) -> str:
    """`__version__` as the package's __init__ states it, empty when it states none."""
    with open(os.path.join(root, "__init__.py"), encoding="utf-8", errors="replace") as f:
        return version_in(f.read(_HEAD))


def version_in(text: str) -> str:
    """The same from the text of that file."""
    found = _VERSION.search(text, 0, _HEAD)
    return found.group(1) if found else ""


def folder_of(name: str) -> str | None:
    """The one folder of a top-level package; None where it is not installed or lies in several."""
    import importlib.util

    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    return str(places[0]) if len(places) == 1 else None


@cache
def versions() -> dict[str, str]:
    """Distribution -> version, by the names of the folders that hold their metadata; spelled with `_`, in lower case."""
    found: dict[str, str] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for match in filter(None, map(_INFO.fullmatch, names)):
            found.setdefault(spelled(match[1]), match[2])
    return found


def spelled(name: str) -> str:
    """`compressed-tensors` and `compressed_tensors` are one distribution."""
    return re.sub(r"[-_.]+", "_", name).lower()
