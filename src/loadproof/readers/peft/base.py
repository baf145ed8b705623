"""The base of an adapter on this machine: the folder that the user names, the one that the adapter names, the hub's cache.

Only its config.json is read. Nothing is fetched, and with links not followed nothing outside of the adapter's own folder
is looked at unless the user names it.
"""

from __future__ import annotations

import os
import re
from typing import Any

from loadproof.config.parse import MAX_BYTES, parse_object
from loadproof.core.base_model import Base
from loadproof.core.known_names import CONFIG
from loadproof.core.reading import Reading
from loadproof.storage import UnreadableError, open_folder

_HUB_NAME = re.compile(r"[\w.-]+(?:/[\w.-]+)?")
_COMMIT = re.compile(r"[0-9a-f]{40}")


def find_base(named: Any, folder: str | None, reading: Reading) -> Base:
    """The base with its config, or why there is none. Never raises. `folder` is that of the adapter, where it lies here."""
    name = named if isinstance(named, str) else ""
    if reading.base is not None:
        return _read(name, reading.base, "--base") or Base(name, why=f"{reading.base} holds no readable config.json")
    if not name:
        return Base(why="adapter_config.json names no base (base_model_name_or_path), and none was given")
    if not reading.follow_links:
        return Base(name, why=f"the base {name} is not looked at: links out of the folder are not followed")
    for path, how in _places(name, folder):
        found = _read(name, path, how)
        if found is not None:
            return found
    return Base(name, why=f"the base {name} is neither a folder here nor in the local hub cache")


def _places(name: str, folder: str | None) -> list[tuple[str, str]]:
    """Where a name may lead, as a path from the adapter, from the working folder, and as a name of the hub."""
    if "://" in name or "\0" in name:
        return []
    beside = [] if folder is None else [os.path.join(folder, name), os.path.join(os.path.dirname(folder), name)]
    paths = [*beside, name]
    found = [(path, "base_model_name_or_path") for path in paths]
    return found + [(path, "hub cache") for path in _snapshots(name)]


def _snapshots(name: str) -> list[str]:
    """The snapshot that `main` of a hub repository stands for, else all there are."""
    if not _HUB_NAME.fullmatch(name):
        return []
    repository = os.path.join(_cache(), f"models--{name.replace('/', '--')}")
    try:
        with open(os.path.join(repository, "refs", "main"), encoding="ascii") as file:
            commit = file.read(64).strip()
    except (OSError, ValueError):
        commit = ""
    if _COMMIT.fullmatch(commit):
        return [os.path.join(repository, "snapshots", commit)]
    try:
        commits = sorted(os.listdir(os.path.join(repository, "snapshots")))[:100]
    except OSError:
        return []
    return [os.path.join(repository, "snapshots", one) for one in commits]


def _cache() -> str:
    """`HF_HUB_CACHE`, `HF_HOME/hub`, or the default (huggingface_hub/constants.py)."""
    home = os.environ.get("HF_HOME") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "huggingface"
    )
    return os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE") or os.path.join(home, "hub")


def _read(name: str, path: str, how: str) -> Base | None:
    """The base in this folder; None where it holds no config.json that is an object."""
    if os.path.basename(path) == CONFIG:
        path = os.path.dirname(path) or "."
    try:
        with open_folder(path) as opened, opened.open(CONFIG) as file:
            data = file.read(0, file.size) if file.size <= MAX_BYTES else b""
    except (OSError, ValueError, UnreadableError):
        return None
    raw, _, _ = parse_object(data, CONFIG, CONFIG)
    return Base(name, os.path.normpath(path), how, raw) if raw else None
