"""Where a name of a checkpoint folder really leads: inside the folder, to a blob of its hub cache, or out of it."""

from __future__ import annotations

import os
import re

_SNAPSHOT = re.compile(r"(?P<cache>.*)/(?P<repository>models--[^/]+)/snapshots/[^/]+(?:/.*)?")
_SHARED_BLOB = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}")
_OF_THE_KERNEL = ("/proc/", "/sys/")


def is_inside(real: str, root: str) -> bool:
    """Whether a path without links lies below `root` (itself without links)."""
    return real.startswith(os.path.join(root, ""))


def is_own_blob(real: str, root: str) -> bool:
    """Whether `real` is a blob of the hub cache that the snapshot folder `root` belongs to.

    ``models--o--m/snapshots/REV/file`` leads to ``models--o--m/blobs/ETAG``, which since huggingface_hub 2.4 may lead on
    to ``blobs/AB/HASH`` at the top of the cache, the store that all repositories share (utils/_shared_blobs.py).
    """
    snapshot = _SNAPSHOT.fullmatch(root)
    if snapshot is None:
        return False
    cache = snapshot["cache"]
    if os.path.dirname(real) == f"{cache}/{snapshot['repository']}/blobs":
        return True
    store = f"{cache}/blobs/"
    return real.startswith(store) and _SHARED_BLOB.fullmatch(real.removeprefix(store)) is not None


def stays(path: str, root: str) -> bool:
    """Whether the file at `path`, all links followed, belongs to the checkpoint folder `root`."""
    real, top = os.path.realpath(path), os.path.realpath(root)
    return is_inside(real, top) or is_own_blob(real, top)


def is_of_the_kernel(real: str) -> bool:
    """Files of /proc and /sys look regular; reading them tells of the machine, and no checkpoint lies there."""
    return real.startswith(_OF_THE_KERNEL)
