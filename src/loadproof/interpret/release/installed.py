"""Which packages are installed and in which version, as data: nothing is imported, and no metadata file is read."""

from __future__ import annotations

import os
import re
import sys
from functools import cache

_INFO = re.compile(r"([A-Za-z0-9._]+)-([^-]+?)(?:-py\d[\d.]*)?\.(?:dist-info|egg-info)")


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


def version_of(package: str) -> str | None:
    """The version of an installed package, by its own name or `optimum.quanto` by that of its distribution."""
    return versions().get(spelled(package))
