"""The checkpoint as it would be after the edits: a draft that tensor and file edits change, and that nothing writes."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from loadproof.core.checkpoint import IndexFile, Inventory
from loadproof.core.tensors import Shape
from loadproof.records.names import PREFIX
from loadproof.repair.header import Header, HeaderError, read_header
from loadproof.repair.sources import Slice, Source, size_of

TEXT_LIMIT = 1 << 30  # bytes of a JSON file
ASIDE = ".set-aside"  # appended to a name: no reader looks for it
SIDE_SHARD = "model-added-{:05}.safetensors"  # where added tensors of a sharded checkpoint go


class RefusedError(Exception):
    """An edit cannot be carried out; the plan reports it."""

    def __init__(self, reason: str, alternative: str = "", file: str = "") -> None:
        super().__init__(reason)
        self.reason, self.alternative, self.file = reason, alternative, file


class Entry(NamedTuple):
    """One tensor of the draft. `origin` is (file, name) where it stands now, None for what is made anew."""

    dtype: str
    shape: Shape
    source: Source
    origin: tuple[str, str] | None


class Shard:
    """One safetensors file of the draft; `header` is None for a file that does not exist yet."""

    def __init__(self, file: str, header: Header | None) -> None:
        self.file, self.header = file, header
        self.metadata = dict(header.metadata) if header and header.metadata is not None else None
        self.entries: dict[str, Entry] = {}
        self.clean = False  # the header is to be written anew even if it says the same
        for name, tensor in header.tensors.items() if header else ():
            whole = Slice(file, tensor.begin, tensor.end)
            self.entries[name] = Entry(tensor.dtype, tensor.shape, whole, (file, name))

    def bytes(self) -> int:
        return sum(size_of(entry.source) for entry in self.entries.values())


class Draft:
    """`shards` by file; `texts`: the new text of every JSON file that changes; `broken`: why a file is unread."""

    def __init__(self, inventory: Inventory, root: str) -> None:
        self.inventory = inventory
        self.root = root
        self.shards: dict[str, Shard] = {}
        self.broken: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.moves: dict[str, str] = {}  # set aside: file -> new name
        self.cuts: dict[str, int] = {}  # file -> size
        self.rebuilt: dict[str, tuple[str, ...]] = {}  # index -> the files it is to describe
        self._places: dict[str, list[Shard]] | None = None
        for info in inventory.files:
            is_read = info.kind not in ("special", "unreadable")
            if is_read and info.path.endswith(".safetensors") and PREFIX not in info.path:
                self._read(info.path)

    def _read(self, file: str) -> None:
        try:
            self.shards[file] = Shard(file, read_header(os.path.join(self.root, file)))
        except (OSError, HeaderError) as error:
            self.broken[file] = str(error)

    def shard(self, file: str) -> Shard:
        """Raises RefusedError when the file is not one whose header can be edited."""
        if file in self.shards:
            return self.shards[file]
        reason = self.broken.get(file, "there is no such safetensors file")
        raise RefusedError(f"{file}: {reason}", file=file)

    def holders(self, name: str) -> list[Shard]:
        """The shards that hold a tensor. Raises RefusedError when there is none."""
        found = self.find(name)
        if not found:
            raise RefusedError(f"no safetensors file holds {name}", self._why_absent())
        return found

    def find(self, name: str) -> list[Shard]:
        """The shards that hold a tensor now, possibly none."""
        if self._places is None:
            self._places = {}
            for shard in self.shards.values():
                for held in shard.entries:
                    self._places.setdefault(held, []).append(shard)
        return [shard for shard in self._places.get(name, ()) if name in shard.entries]

    def add(self, shard: Shard, name: str, entry: Entry) -> None:
        """Raises RefusedError when the name is taken anywhere."""
        if name == "__metadata__":
            raise RefusedError("a tensor cannot be named __metadata__")
        taken = self.find(name)
        if taken:
            raise RefusedError(f"{taken[0].file} holds {name} already", "drop one of the two first")
        shard.entries[name] = entry
        if self._places is not None:
            self._places[name] = [shard]

    def forget_places(self) -> None:
        """After entries were changed past `add`."""
        self._places = None

    def one(self, name: str) -> tuple[Shard, Entry]:
        """The shard that holds a tensor, where it must be one only."""
        shards = self.holders(name)
        if len(shards) > 1:
            files = ", ".join(shard.file for shard in shards)
            raise RefusedError(f"{name} is stored in several files ({files})", "drop the stale copy first")
        return shards[0], shards[0].entries[name]

    def _why_absent(self) -> str:
        if self.broken:
            file, reason = next(iter(self.broken.items()))
            return f"{file} could not be read: {reason}"
        if any(info.kind == "torch" for info in self.inventory.files):
            return "tensors of torch files cannot be edited in place: save the checkpoint as safetensors first"
        return ""

    def indexes(self) -> Iterator[IndexFile]:
        """The readable shard indexes over safetensors files."""
        for index in self.inventory.indexes:
            if index.readable and any(file.endswith(".safetensors") for file in index.weight_map.values()):
                yield index

    def text(self, file: str) -> str:
        """The text of a JSON file as the edits so far leave it. Raises Refused."""
        if file not in self.texts:
            self.texts[file] = read_text(self.root, file)
        return self.texts[file]

    def place_for_new(self, beside: Shard | None = None) -> Shard:
        """Where added tensors go: a new shard where an index can name it, else the file that is there."""
        index = next(self.indexes(), None)
        if index is None:
            if beside is None and len(self.shards) != 1:
                raise RefusedError(
                    "there is no single safetensors file to add tensors to", "give the checkpoint an index first"
                )
            return beside or next(iter(self.shards.values()))
        number, taken = 1, {info.path for info in self.inventory.files}
        folder = index.path.rpartition("/")[0]
        while (name := (folder and folder + "/") + SIDE_SHARD.format(number)) in taken:
            number += 1
        if name not in self.shards:
            self.shards[name] = Shard(name, None)
            self.shards[name].metadata = {"format": "pt"}
        return self.shards[name]


def read_text(root: str, file: str) -> str:
    """Raises RefusedError when the file is not there, not UTF-8, or no small text."""
    try:
        descriptor = os.open(os.path.join(root, file), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise RefusedError(f"{file}: {error.strerror}", file=file) from None
    with open(descriptor, "rb") as stream:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > TEXT_LIMIT:
            raise RefusedError(f"{file}: not a text file of at most {TEXT_LIMIT:,} bytes", file=file)
        try:
            return stream.read().decode("utf-8")
        except UnicodeDecodeError:
            raise RefusedError(f"{file}: not UTF-8 text", file=file) from None
