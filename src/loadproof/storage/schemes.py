"""What a location begins with, and which storage opens it. A new one is its file and its line in the table."""

from __future__ import annotations

import re
from importlib import import_module
from typing import cast

from loadproof.storage.base import Storage
from loadproof.storage.folder import open_folder

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
# scheme -> module of this folder, whose `open_storage(location, follow_links=...)` is called
SCHEMES = {
    "file": "folder",
}


def open_storage(location: str, *, follow_links: bool = True) -> Storage:
    """What lies at a location: a storage of the table, or else a path. Raises OSError where nothing can be opened."""
    found = _SCHEME.match(location)
    module = SCHEMES.get(found[1].lower()) if found is not None else None
    if module is None:
        return open_folder(location, follow_links=follow_links)
    opening = import_module(f"loadproof.storage.{module}").open_storage
    return cast(Storage, opening(location, follow_links=follow_links))
