"""Files that lie in memory: for tests of what reads bytes, and for bytes that are at hand."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from loadproof.storage.base import Entry, UnreadableError
from loadproof.storage.paths import why_unsafe


class MemoryFile:
    """Bytes as a `StoredFile`."""

    __slots__ = ("_content", "outside", "size")

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.outside: str | None = None
        self.size = len(content)

    def __enter__(self) -> MemoryFile:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def read(self, begin: int, length: int) -> bytes:
        """The bytes at `begin`, fewer than `length` only where they end."""
        return self._content[begin : begin + length]

    def changed(self) -> bool:
        """Bytes do not change."""
        return False


class Memory:
    """A checkpoint by name -> bytes; a name may have folders in it. An error in place of bytes is why it is refused."""

    folder: str | None = None

    def __init__(
        self, files: Mapping[str, bytes | UnreadableError], place: str = "memory", single_file: str | None = None
    ) -> None:
        self.place = place
        self.single_file = single_file
        self._files = files

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def list(self) -> tuple[tuple[Entry, ...], bool]:
        """What lies at the top level, sorted by name; all of it."""
        names = {name.partition("/")[0] for name in self._files}
        return tuple(self.look(name) for name in sorted(names)), True

    def below(self, name: str) -> tuple[Entry, ...]:
        """What lies in a folder, one level of it, by bare names."""
        start = f"{name}/"
        inner = {file[len(start) :].partition("/")[0] for file in self._files if file.startswith(start)}
        return tuple(replace(self.look(start + one), name=one) for one in sorted(inner))

    def look(self, name: str) -> Entry:
        """The state of any name, listed or not."""
        found = self._files.get(name)
        if isinstance(found, bytes):
            return Entry(name, size=len(found))
        if found is not None:
            return Entry(name, "special", state="refused", why=found)
        if any(file.startswith(f"{name}/") for file in self._files):
            return Entry(name, "folder")
        return Entry(name, state="absent", why=_ABSENT)

    def open(self, name: str) -> MemoryFile:
        """A file by its name. Raises `UnreadableError`."""
        if why_unsafe(name) is not None:
            raise UnreadableError("unsafe-path", "is not a path inside the folder")
        entry = self.look(name)
        if entry.kind == "folder":
            raise UnreadableError("folder", "is a folder, not a regular file")
        if entry.why is not None:
            raise entry.why
        content = self._files[name]
        assert isinstance(content, bytes)
        return MemoryFile(content)

    def resolve(self, path: str) -> str | None:
        """None: there is nothing around it that a path could leave and enter again."""
        return None


_ABSENT = UnreadableError("absent", "does not exist")
