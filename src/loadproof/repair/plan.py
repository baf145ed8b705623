"""What a repair would do, as data, before anything is touched."""

from __future__ import annotations

import hashlib

import msgspec
from msgspec import Struct

from loadproof.core.edits import Edit
from loadproof.core.repairs import Action as Action
from loadproof.core.repairs import Change as Change
from loadproof.core.repairs import Refusal as Refusal
from loadproof.repair.sources import Source, size_of
from loadproof.repair.steps import Step


class Stream(Struct, frozen=True):
    """A file written from the start: length prefix and header, then the sources one after another."""

    file: str  # the file it becomes
    fresh: str  # the helper name under which it is prepared
    head: bytes
    body: tuple[Source, ...]

    @property
    def size(self) -> int:
        return len(self.head) + sum(map(size_of, self.body))


class Seen(Struct, frozen=True):
    """A file as it was when the plan was made: another inode, size or time means that the plan is stale."""

    file: str
    inode: int
    size: int
    time: int  # nanoseconds


class Plan(Struct, frozen=True):
    """Pure data: `apply` and `apply_to_copy` carry it out. Nothing to do: no steps and no refusals."""

    root: str
    edits: tuple[Edit, ...]
    number: int  # of the undo record that it leaves
    changes: tuple[Change, ...] = ()
    steps: tuple[Step, ...] = ()
    streams: tuple[Stream, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    sources: tuple[Seen, ...] = ()  # the folder, and every file that is streamed or changed
    linked: tuple[str, ...] = ()  # files that were read through a link out of the folder
    follow_links: bool = True  # whether that was allowed

    @property
    def writes(self) -> int:
        """Bytes that carrying it out in place writes, journal aside."""
        return sum(change.writes for change in self.changes)

    @property
    def header_only(self) -> bool:
        """True when no tensor byte is read or written."""
        return not self.streams

    @property
    def fingerprint(self) -> str:
        """The same for equal plans only: an interrupted stream may be resumed under it."""
        return hashlib.sha256(msgspec.msgpack.encode((self.root, self.steps, self.streams, self.sources))).hexdigest()
