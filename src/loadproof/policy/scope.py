"""Whether a layer concerns a target: its patterns are seen from the folder of the policy file."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase

from loadproof.policy.layers import Layer


def concerns(layer: Layer, target: str, folder: str) -> bool:
    """Whether the layer holds for all targets, or one of its patterns names this one or a folder above it."""
    if layer.paths is None:
        return True
    path = os.path.relpath(os.path.abspath(target), os.path.abspath(folder or os.curdir)).replace(os.sep, "/")
    parts = path.split("/")
    above = ["/".join(parts[:number]) for number in range(1, len(parts) + 1)]
    return any(fnmatchcase(one, pattern.rstrip("/")) for pattern in layer.paths for one in above)
