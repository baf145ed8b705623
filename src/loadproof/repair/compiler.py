"""Draft -> steps, streams and readable changes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import chain

from loadproof.formats.entry import BITS, LARGEST_HEADER
from loadproof.repair.diffs import header_diff, text_diff
from loadproof.repair.draft import ASIDE, Draft, Entry, RefusedError, Shard, read_text
from loadproof.repair.header import LENGTH, Header, Tensor, encode, padded
from loadproof.repair.mounts import block_to_insert
from loadproof.repair.plan import Action, Change, Stream
from loadproof.repair.sources import Slice, Source, plain, size_of
from loadproof.repair.steps import Cut, Grow, Move, Patch, Rewrite, Step, Swap, beside

TAIL_LIMIT = 64 << 20  # bytes of a tail that the undo record keeps
KEPT = "the old one is kept until `undo --forget`"


class Compiler:
    """Compares a draft with what lies on disk. `number` marks the helper files of this plan."""

    def __init__(self, draft: Draft, number: int) -> None:
        self.draft, self.number = draft, number
        self.present = {info.path for info in draft.inventory.files}
        self.changes: list[Change] = []
        self.steps: list[Step] = []
        self.streams: list[Stream] = []

    def run(self) -> None:
        """Raises RefusedError."""
        for file, target in sorted(self.draft.moves.items()):
            self._add(Move(file, target), file, "set aside", note=f"renamed to {target}")
        for shard in self.draft.shards.values():
            self._shard(shard)
        for file, text in sorted(self.draft.texts.items()):
            self._text(file, text)
        self._door()

    def _add(
        self, step: Step, file: str, action: Action, writes: int = 0, note: str = "", diff: Iterable[str] = ()
    ) -> None:
        self.steps.append(step)
        self.changes.append(Change(file, action, writes, note, tuple(diff)))

    def _text(self, file: str, text: str) -> None:
        old = read_text(self.draft.root, file) if file in self.present else None
        if old != text:
            new = text.encode()
            step = Rewrite(file, None if old is None else old.encode(), new)
            self._add(step, file, "add file" if old is None else "edit text", len(new), diff=text_diff(old, text))

    def _door(self) -> None:
        """Several files change, but no header and no text: one text is closed meanwhile (see transaction)."""
        if len(self.steps) < 2 or any(isinstance(step, Patch | Grow | Rewrite) for step in self.steps):
            return
        for file in (*(index.path for index in self.draft.indexes()), "config.json"):
            if file in self.present:
                content = self.draft.text(file).encode()
                self.steps.append(Rewrite(file, content, content))
                return

    # ------------------------------------------------------------ shards
    def _shard(self, shard: Shard) -> None:
        header = shard.header
        if header is None or not _same_bytes(shard, header):
            self._rewrite(shard)
            return
        size = self.draft.cuts.get(shard.file, header.size)
        written_anew = _header_changes(shard, header) and self._header(shard, header, size)
        if size < header.size and not written_anew:
            self._cut(shard.file, header, size)

    def _header(self, shard: Shard, header: Header, size: int) -> bool:
        """A new header for the same bytes: in place where it fits. True if the file is written anew."""
        tensors = {name: _own_tensor(entry) for name, entry in shard.entries.items()}
        text, room = _checked(encode(tensors, shard.metadata, header.data_start), shard.file), len(header.raw)
        diff = header_diff(header, shard)
        if len(text) <= room and (room % 8 == 0 or not shard.clean):
            sizes = tuple(dict.fromkeys((header.size, size)))
            step = Patch(shard.file, sizes, header.raw, text.ljust(room, b" "))
            self._add(step, shard.file, "patch header", room + 2, "in place; no tensor byte moves", diff)
            return False
        block = block_to_insert(self.draft.root)
        if block and size == header.size and not shard.clean:
            self._grow(shard, header, text, block, diff)
            return False
        body = (Slice(shard.file, header.data_start, size),)
        note = f"the new header needs more room: the whole file is rewritten, {KEPT}"
        self._stream(shard, text, body, "new header", note)
        return True

    def _grow(self, shard: Shard, header: Header, text: bytes, block: int, diff: Iterable[str]) -> None:
        """Whole blocks are inserted at the front; the data keeps its alignment and is not copied."""
        room = -(-(len(text) - len(header.raw)) // block) * block
        text = text.ljust(len(header.raw) + room)
        old, new = LENGTH.pack(len(header.raw)) + header.raw, LENGTH.pack(len(text)) + text
        step = Grow(shard.file, header.size, old, new)
        note = f"in place; {room:,} bytes of room are inserted, no tensor byte is copied"
        self._add(step, shard.file, "new header", len(new), note, diff)

    def _rewrite(self, shard: Shard) -> None:
        """Tensors come, go or change: the file is streamed."""
        if not shard.entries:
            self._empty(shard.file)
            return
        tensors, at, ordered = {}, 0, _in_order(shard)
        for name, entry in ordered:
            tensors[name] = Tensor(entry.dtype, entry.shape, at, at + size_of(entry.source))
            at += size_of(entry.source)
        text = _checked(encode(tensors, shard.metadata, 0), shard.file)
        body = tuple(_joined(entry.source for _, entry in ordered))
        if shard.header is None:
            self._stream(shard, text, body, "add file", "a new shard for the added tensors")
        else:
            self._stream(shard, text, body, "rewrite", f"streamed to a new file; {KEPT}")

    def _empty(self, file: str) -> None:
        """Nothing is left in the file: readers that list the folder must not meet it any more."""
        if file + ASIDE in self.present:
            raise RefusedError(f"{file} is left without tensors, and {file + ASIDE} is there already", file=file)
        self._add(
            Move(file, file + ASIDE), file, "set aside", note=f"no tensor is left in it; renamed to {file + ASIDE}"
        )

    def _stream(self, shard: Shard, text: bytes, body: tuple[Source, ...], action: Action, note: str) -> None:
        text = padded(text)
        fresh = beside(shard.file, f"fresh{self.number}")
        stream = Stream(shard.file, fresh, LENGTH.pack(len(text)) + text, body)
        self.streams.append(stream)
        swap = Swap(shard.file, fresh, beside(shard.file, f"kept{self.number}"))
        step = Move(fresh, shard.file) if shard.header is None else swap
        self._add(step, shard.file, action, stream.size, note, header_diff(shard.header, shard))

    def _cut(self, file: str, header: Header, size: int) -> None:
        length = header.size - size
        if length > TAIL_LIMIT:
            raise RefusedError(
                f"{file}: a tail of {length:,} bytes is too long for the undo record", "make a copy", file
            )
        with open(os.path.join(self.draft.root, file), "rb") as stream:
            stream.seek(size)
            tail = stream.read(length)
        note = f"{length:,} bytes behind the last tensor go; the undo record keeps them"
        self._add(Cut(file, size, tail), file, "cut tail", note=note)


def _checked(text: bytes, file: str) -> bytes:
    if len(text) > LARGEST_HEADER:
        raise RefusedError(f"{file}: its header would exceed {LARGEST_HEADER:,} bytes")
    return text


def _same_bytes(shard: Shard, header: Header) -> bool:
    """True if every stored tensor is still there, byte for byte where it was, and nothing else."""
    own = [s for entry in shard.entries.values() if isinstance(s := entry.source, Slice) and s.file == shard.file]
    if not len(own) == len(shard.entries) == len(header.tensors):
        return False
    return {(s.begin, s.end) for s in own} == {(t.begin, t.end) for t in header.tensors.values()}


def _header_changes(shard: Shard, header: Header) -> bool:
    if shard.clean and (shard.metadata != header.metadata or not _is_clean(header)):
        return True
    return list(shard.entries) != list(header.tensors) or any(
        (entry.shape, entry.dtype) != (header.tensors[name].shape, header.tensors[name].dtype)
        for name, entry in shard.entries.items()
    )


def _is_clean(header: Header) -> bool:
    return header.raw[:1] == b"{" and len(header.raw) % 8 == 0 and header.raw.rstrip(b" ")[-1:] == b"}"


def _own_tensor(entry: Entry) -> Tensor:
    assert isinstance(entry.source, Slice)
    return Tensor(entry.dtype, entry.shape, entry.source.begin, entry.source.end)


def _in_order(shard: Shard) -> list[tuple[str, Entry]]:
    """File order for what is there, then what is new; wider elements first where some tensor would be misaligned."""
    old = sorted(shard.entries.items(), key=lambda item: _position(item[1], shard.file))
    at = 0
    for _, entry in old:
        if at % max(1, BITS[entry.dtype] // 8):
            return sorted(old, key=lambda item: -BITS[item[1].dtype])
        at += size_of(entry.source)
    return old


def _position(entry: Entry, file: str) -> tuple[int, int]:
    source = entry.source
    if isinstance(source, Slice) and source.file == file and entry.origin is not None:
        return 0, source.begin
    return 1, 0


def _joined(sources: Iterable[Source]) -> list[Source]:
    """Neighbouring slices of one file become one, so that they are copied in one go."""
    joined: list[Source] = []
    for source in chain.from_iterable(map(plain, sources)):
        last = joined[-1] if joined else None
        if isinstance(source, Slice) and isinstance(last, Slice) and _adjoin(last, source):
            joined[-1] = Slice(last.file, last.begin, source.end)
        elif size_of(source):
            joined.append(source)
    return joined


def _adjoin(one: Slice, other: Slice) -> bool:
    return one.file == other.file and one.end == other.begin
