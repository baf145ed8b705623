"""What lies in a checkpoint folder: files, indexes, problems, the folded tensors of the files a reader picks."""

from __future__ import annotations

from msgspec import Struct

from loadproof.core.coverage import Skip
from loadproof.core.families import count
from loadproof.core.severity import Severity
from loadproof.core.tensors import Duplicate, Family, Shape, StoredValue
from loadproof.core.training import TrainingState


class FileInfo(Struct, frozen=True):
    """One file of the checkpoint folder. `kind` is what its first bytes say, not what its name promises."""

    path: str  # relative to the folder, or the bare file name
    size: int  # bytes
    # a format (`lexicon/formats.py`) | lfs-pointer | html | json | zip | empty | zeros | other;
    # special: no regular file; unreadable: a regular file that could not be, or must not be, opened here
    kind: str
    link: str = ""  # where the file really lies, when a link leads out of the folder


class Problem(Struct, frozen=True):
    """A fault of a file itself, found while reading. Readers record these; they never raise on bad content."""

    code: str  # a catalogue code, LP0xx or LP1xx
    file: str
    text: str  # one line, names what is wrong
    tensor: str | None = None
    expected: str | None = None
    found: str | None = None
    offset: int | None = None  # byte offset in the file
    severity: Severity = "error"
    detail: str = ""  # machine-readable kind below the code, e.g. "overlap", "hole", "absolute-path"
    particular: str = ""  # what the detail leaves open, for a reader's reaction: a parser's message, a type, a path
    line: int | None = None  # in a text file, 1-based


class IndexFile(Struct, frozen=True):
    """A shard index (``*.index.json``). `weight_map` is as written but for ``./`` and ``//``, and unchecked."""

    path: str
    weight_map: dict[str, str]
    total_size: int | None
    has_metadata: bool
    readable: bool = True  # False: not JSON, or no weight_map; `problems` says why
    order: tuple[str, ...] = ()  # the files as the reader opens them, where that is not their sorted order

    @property
    def shards(self) -> tuple[str, ...]:
        """The distinct files, in the order in which a reader opens them."""
        return self.order or tuple(sorted(set(self.weight_map.values())))


class Inventory(Struct, frozen=True):
    """What lies in the checkpoint folder (or the one file given), before a reader picks its weights."""

    location: str  # as the user gave it
    files: tuple[FileInfo, ...]
    indexes: tuple[IndexFile, ...] = ()
    problems: tuple[Problem, ...] = ()
    single_file: str | None = None  # set when the user named one file instead of a folder
    skipped: tuple[Skip, ...] = ()
    is_whole: bool = True  # False: the folder held too many names; `files` holds some, and those that readers ask for
    states: tuple[TrainingState, ...] = ()  # what a training run or another program left there


class Selection(Struct, frozen=True):
    """Which weight files a reader would open. `error` is the exception it would raise instead."""

    entry: str | None  # the single file or the index that decided, None when nothing fits
    files: tuple[str, ...]  # in the order in which the reader opens them
    format: str  # safetensors | safetensors-sharded | torch | torch-sharded | names-only | none
    error: str | None = None
    shadowed: tuple[str, ...] = ()  # weight files that lie there and will not be read
    inconclusive: str | None = None  # why it cannot be said what the reader opens


class Manifest(Struct, frozen=True):
    """The tensors of the selected files, folded. Equal names in several files are kept once (later file wins)."""

    format: str
    files: tuple[FileInfo, ...]
    families: tuple[Family, ...]
    tensors: int
    bytes: int  # payload bytes according to the headers, 0 when names only
    problems: tuple[Problem, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()
    names_only: bool = False
    metadata: dict[str, dict[str, str]] = {}  # file -> its __metadata__
    skipped: tuple[Skip, ...] = ()
    values: tuple[StoredValue, ...] = ()  # what the files hold beside dense tensors
    unread: tuple[str, ...] = ()  # selected files that the reader would read and we do not: their tensors are unknown

    @property
    def only_named(self) -> int:
        """How many tensors are known by name only."""
        without = sum(count(family.axes) for family in self.families if family.shape is None)
        return without - sum(value.is_named for value in self.values)


class Tokenizer(Struct, frozen=True):
    """Highest token id + 1 and the number of tokens, from tokenizer files beside the weights."""

    path: str
    rows_needed: int


class TieValue(Struct, frozen=True):
    """Two stored tensors that the reader ties, compared by their bytes. `equal` None: not comparable, `text` says why."""

    target: str  # the name in the file that reaches the tied parameter, usually the head
    source: str  # the name in the file that reaches its source, usually the embedding
    equal: bool | None
    complete: bool = True  # False: only samples were compared (equal samples do not prove equality)
    text: str = ""
    shape: Shape | None = None
    target_file: str = ""
    source_file: str = ""


class DonatedTie(Struct, frozen=True):
    """Tied parameters whose source is not stored: another stored member of the tie, the donor, fills them."""

    source: str  # the parameter that the class ties the others to
    filled: tuple[str, ...]  # what takes the donor's values, the source among them
    donor: str  # the member of which the values are taken
    stored: dict[str, str]  # every stored member, and its name in the file
    values: tuple[TieValue, ...] = ()  # the stored members compared with each other, by their names in the file
