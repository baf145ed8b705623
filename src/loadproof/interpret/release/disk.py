"""Source files on disk. Nothing else in the evaluator opens a path."""

from __future__ import annotations

import os
from itertools import islice
from typing import NamedTuple

from loadproof.interpret.language.errors import LimitReached
from loadproof.interpret.language.limits import SOURCE_BYTES
from loadproof.interpret.release.files import CODE, PACKAGES, RELEASE, Kind
from loadproof.interpret.release.locate import folder_of
from loadproof.interpret.release.seen import Seen, content_of, digest, digest_at
from loadproof.storage.places import is_inside, is_own_blob

_ENTRIES = 100_000  # of one folder
_DEPTH = 32  # folders inside of each other; links may make rings
# The last part of a path that was resolved is no link.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


class Root(NamedTuple):
    """A folder that may be read. What strangers filled may not lead out of it, and its content is remembered."""

    folder: str
    is_trusted: bool


class Disk:
    """The `Files` below some folders; `seen` is all that was read of them."""

    def __init__(self, roots: dict[str, Root]) -> None:
        found = {name: root._replace(folder=os.path.realpath(root.folder)) for name, root in roots.items()}
        self._roots: dict[str, Root | None] = dict(found)
        self._folders: dict[str, dict[str, Kind]] = {}
        self._seen: dict[str, Seen] = {}

    @property
    def seen(self) -> tuple[Seen, ...]:
        return tuple(self._seen.values())

    def list(self, folder: str) -> dict[str, Kind]:
        if folder not in self._folders:
            self._folders[folder] = self._listed(folder)
        return self._folders[folder]

    def read(self, file: str) -> bytes | None:
        root, path = self._place(file)
        kinds = (".py", ".pyi") if root.is_trusted else (".py",)
        data = None if path is None or not file.endswith(kinds) else _content(path, 0 if root.is_trusted else _NO_LINK)
        if data is not None:
            self._seen[file] = Seen(self._named(file), "" if root.is_trusted else digest(data))
        return data

    def _listed(self, folder: str) -> dict[str, Kind]:
        root, path = self._place(folder)
        if path is not None and not root.is_trusted:
            self._seen[folder + "/"] = Seen(self._named(folder), digest_at(path))
        return {} if path is None else _entries(path, root)

    def _named(self, name: str) -> str:
        """The path by its own names: a link that leads elsewhere later is another file."""
        first, *parts = name.split("/")
        root = self._root(first)
        return os.path.join(root.folder, *parts) if root is not None else ""

    def _root(self, name: str) -> Root | None:
        """The folder under a name; a package of the list is looked for when it is first asked about."""
        if name not in self._roots and name in PACKAGES:
            folder = folder_of(name)
            self._roots[name] = None if folder is None else Root(os.path.realpath(folder), is_trusted=True)
        return self._roots.get(name)

    def _place(self, name: str) -> tuple[Root, str | None]:
        """Where a name lies; None for what is no plain name, or leads out."""
        first, *parts = name.split("/")
        root = self._root(first)
        if root is None or len(parts) > _DEPTH or not all(_stem(part).isidentifier() for part in parts):
            return Root("", is_trusted=False), None
        path = self._named(name)
        if root.is_trusted:
            return root, path
        real = os.path.realpath(path)
        return root, real if _is_inside(real, root.folder) else None


def on_disk(
    release: str, code: str | None = None, *, is_trusted: bool, packages: dict[str, tuple[str, bool]] | None = None
) -> Disk:
    """The files of a release, which is `is_trusted` or not, and of a repository's own code, which never is; `packages`
    are further ones: name -> folder and whether it is trusted."""
    roots = {RELEASE: Root(release, is_trusted)}
    roots |= {name: Root(*package) for name, package in (packages or {}).items()}
    return Disk(roots if code is None else roots | {CODE: Root(code, is_trusted=False)})


def _stem(part: str) -> str:
    return part.removesuffix("i").removesuffix(".py") if part.endswith(".pyi") else part.removesuffix(".py")


def _entries(path: str, root: Root) -> dict[str, Kind]:
    try:
        with os.scandir(path) as found:
            named = (entry for entry in found if entry.name.removesuffix(".py").isidentifier())
            entries = list(islice(named, _ENTRIES))
    except (OSError, ValueError):
        return {}
    kinds = ((entry.name, _kind(entry, root)) for entry in sorted(entries, key=lambda entry: entry.name))
    return {name: kind for name, kind in kinds if kind is not None}


def _kind(entry: os.DirEntry[str], root: Root) -> Kind | None:
    """A folder or a Python file with a name that can be imported; None for everything else."""
    is_python = entry.name.endswith(".py")
    try:
        kind: Kind | None = "file" if is_python and entry.is_file() else None if is_python else "folder"
        if kind == "folder" and not entry.is_dir():
            return None
        leads_out = not root.is_trusted and entry.is_symlink()
        if leads_out and kind and not _is_inside(os.path.realpath(entry.path), root.folder):
            return "outside"
    except OSError:
        return None
    return kind


def _content(path: str, flags: int) -> bytes | None:
    data = content_of(path, SOURCE_BYTES + 1, flags)
    if data is not None and len(data) > SOURCE_BYTES:
        raise LimitReached(f"{os.path.basename(path)} has more than {SOURCE_BYTES:,} bytes")
    return data


def _is_inside(real: str, top: str) -> bool:
    """Whether a path lies in the folder, or is where a hub cache snapshot's links lead: a blob of its own."""
    return real == top or is_inside(real, top) or is_own_blob(real, top)
