"""The selected weight files -> a Manifest: headers read, names folded, the index counted against the shards."""

from __future__ import annotations

from loadproof.config.problems import withheld
from loadproof.core.checkpoint import FileInfo, IndexFile, Inventory, Manifest, Selection
from loadproof.core.coverage import Skip
from loadproof.core.families import count
from loadproof.core.tensors import StoredValue
from loadproof.formats import sniff
from loadproof.formats.base import TensorFile
from loadproof.formats.census import Census, find_gap, is_sibling
from loadproof.formats.content import check_content
from loadproof.formats.faults import Faults, cut
from loadproof.formats.gathering import Gathering
from loadproof.formats.impostor import check_other
from loadproof.formats.inventory import add_unreadable
from loadproof.formats.names import check_metadata, check_names
from loadproof.formats.registry import kind_of, opened_as, read_tensors, reader_of
from loadproof.lexicon.formats import SAFETENSORS, named, promised
from loadproof.storage import Storage, UnreadableError, why_unsafe


def read_manifest(storage: Storage, inventory: Inventory, selection: Selection, names_only: bool = False) -> Manifest:
    """What the selected files hold. Never raises on content; faults of the files become problems.

    With `names_only` the index stands for shards that are absent or Git LFS pointers: their tensors come as families
    without dtype and shape. Files of formats that are not read are listed in `skipped`.
    """
    return _Reading(storage, inventory, selection, names_only).run()


class _Reading:
    """The state of one pass over the selected files."""

    def __init__(self, storage: Storage, inventory: Inventory, selection: Selection, names_only: bool) -> None:
        self.storage = storage
        self.inventory = inventory
        self.selection = selection
        self.names_only = names_only
        self.index: IndexFile | None = next((i for i in inventory.indexes if i.path == selection.entry), None)
        self.known = {info.path: info for info in inventory.files}
        self.chosen = frozenset(selection.files)
        self.census = Census(self.index)
        self.gathering = Gathering()
        self.faults = Faults()
        self.skipped: list[Skip] = []
        self.unread: list[str] = []
        self.files: list[FileInfo] = []
        self.metadata: dict[str, dict[str, str]] = {}
        self.bytes = 0
        self.shared = 0  # bytes that several tensors have in common
        self.values: list[StoredValue] = []
        self.is_complete = True  # every selected file was read without a fault

    def run(self) -> Manifest:
        taken = dict.fromkeys(file for file in self.selection.files if self._is_stand_in(file))
        for file in self.selection.files:
            if file not in taken:
                self._open(file)
        for file in taken:
            self._take_names(file)
        self.census.close()
        self._check_index()
        if not self.selection.files:
            self._skip_unselected()
        families, duplicates = self.gathering.families(self.faults)
        check_names(((family.template, (family.files or ("",))[0]) for family in families), self.faults)
        return Manifest(
            format=self.selection.format,
            files=tuple(self.files),
            families=families,
            tensors=sum(count(family.axes) for family in families) - sum(value.is_named for value in self.values),
            bytes=self.bytes,
            problems=self.faults.result(),
            duplicates=duplicates,
            names_only=self.names_only,
            metadata=self.metadata,
            skipped=tuple(self.skipped),
            values=tuple(self.values),
            unread=tuple(self.unread),
        )

    def _is_stand_in(self, file: str) -> bool:
        """Whether the index stands for a file that is not there."""
        if not self.names_only or not self.census.names_listed(file):
            return False
        info = self.known.get(file)
        return info is None or info.kind == "lfs-pointer"

    def _take_names(self, file: str) -> None:
        self.is_complete = False
        names = [name for name in self.census.names_listed(file) if not self.census.is_found(name)]
        self.gathering.add_names(file, names)
        self.skipped.append(Skip(file, "not here; names taken from the index"))

    def _open(self, file: str) -> None:
        try:
            with self.storage.open(file) as opened:
                head = opened.read(0, sniff.HEAD)
                info = FileInfo(file, opened.size, kind_of(head, opened.size, file), opened.outside or "")
                self.files.append(info)
                form = opened_as(file, self.selection.format)
                if form is not SAFETENSORS and self._is_no_such_file(info, head):
                    return
                reader = reader_of(form)
                if reader is None:
                    self._leave_out(info)
                    return
                held = reader.read(opened, file, head)
                if opened.outside and held.names is None:
                    held.problems = tuple(map(withheld, held.problems))
                if held.data_begin:
                    check_content(opened, file, held.data_begin, self.faults, len(self.selection.files) > 1)
                if opened.changed():
                    self._add_changed(file)
                self._take(file, held)
        except UnreadableError as error:
            self.is_complete = False
            if error.kind in _REFUSED:
                self.unread.append(file)
                self.skipped.append(Skip(cut(ascii(file)) if error.kind == "unsafe-path" else file, _reason(error)))
            if not self._is_told(file, error.kind):
                add_unreadable(self.faults, file, error, self.inventory.location)

    def _is_told(self, file: str, kind: str) -> bool:
        """Whether the inventory has reported it; an unsafe path it reported with the index."""
        if self.index is not None and kind == "unsafe-path":
            return True
        return any(problem.file == file and problem.detail == kind for problem in self.inventory.problems)

    def _take(self, file: str, held: TensorFile) -> None:
        self.faults.extend(held.problems)
        if any(problem.severity == "error" for problem in held.problems):
            self.is_complete = False
        if held.metadata:
            self.metadata[file] = held.metadata
            check_metadata(held.metadata, file, self.faults)
        if held.names is None and file not in self.unread and promised(file) is not SAFETENSORS:
            self.unread.append(file)
        if held.names is not None:
            self.census.count(file, held.names)
        self.gathering.add(file, held.groups)
        self.bytes += held.bytes
        self.shared += held.shared
        self.values += held.values

    def _is_no_such_file(self, info: FileInfo, head: bytes) -> bool:
        """Whether its first bytes say that it is no file of the format that its name promises."""
        is_wrong = check_other(info, head, self.faults)
        self.is_complete &= not is_wrong
        return is_wrong

    def _leave_out(self, info: FileInfo) -> None:
        self.is_complete = False
        self.unread.append(info.path)
        self.skipped.append(_not_read_yet(info))

    def _skip_unselected(self) -> None:
        """No reader takes any file: still name the weights of formats that are not read."""
        self.skipped += [
            _not_read_yet(info)
            for info in self.inventory.files
            if sniff.claims_weights(info.path)
            and info.kind not in ("special", "unreadable")
            and reader_of(promised(info.path)) is None
        ]

    def _add_changed(self, file: str) -> None:
        self.is_complete = False
        self.faults.add(
            "LP003", file, "changed", "the file changed while it was read; check it again when it is at rest"
        )

    def _check_index(self) -> None:
        if self.index is None or not self.index.weight_map:
            return
        unnamed = [self._check_unnamed(info) for info in self.inventory.files if self._is_unnamed(info)]
        is_consistent = self.census.report(self.faults) and not any(unnamed)
        gap = find_gap(self.selection.files)
        if gap and not any(info.path.startswith(gap) for info in self.inventory.files) and self._has_only_safe_paths():
            text = f"the shards are numbered, but the index names no {gap}"
            self.faults.add("LP102", self.index.path, "numbering-gap", text, severity="warning", expected=gap)
        total = self.index.total_size
        if self.is_complete and is_consistent and self._is_another_sum(total):
            text = f"total_size says {total:,} bytes, the shards hold {self.bytes:,}"
            self.faults.add(
                "LP109", self.index.path, "sum", text, expected=str(self.bytes), found=str(total), severity="warning"
            )

    def _is_another_sum(self, total: int | None) -> bool:
        """Writers count what tensors share once, or for each of them."""
        return total is not None and total not in (self.bytes, self.bytes - self.shared)

    def _is_unnamed(self, info: FileInfo) -> bool:
        assert self.index is not None
        is_shard = is_sibling(info.path, self.index.path) and info.path not in self.chosen
        return is_shard and reader_of(named(info.kind)) is not None

    def _check_unnamed(self, info: FileInfo) -> bool:
        """A shard that the index does not name is never read: an error if it holds tensors that no read file holds."""
        try:
            with self.storage.open(info.path) as opened:
                held = read_tensors(opened, info.path)
        except UnreadableError:
            return False
        if held is None:
            return False
        names = held.names or ()
        lost = self.census.count_unread(info.path, names)
        text = f"the index does not name this shard: its {len(names):,} tensors are not read"
        if lost:
            text += f", {len(lost):,} of them lie in no other file that is read, {cut(lost[0])} first"
        self.faults.add(
            "LP103",
            info.path,
            "unindexed",
            text,
            tensor=lost[0] if lost else None,
            found=f"{len(names)} tensors",
            severity="error" if lost else "warning",
        )
        return True

    def _has_only_safe_paths(self) -> bool:
        return not any(why_unsafe(file) for file in self.selection.files)


_REFUSED = frozenset({"link-outside", "unsafe-path", "fifo", "device"})  # here; the reader opens them


def _reason(error: UnreadableError) -> str:
    return "its path leads out of the folder" if error.kind == "unsafe-path" else f"it {error.reason}"


def _not_read_yet(info: FileInfo) -> Skip:
    if info.path == ".metadata":
        return Skip(
            info.path, "what is described here is judged as a merge would leave it, not as this reader loads it"
        )
    form = promised(info.path)
    return Skip(info.path, f"{form.title if form is not None else 'such'} files are not read yet")
