"""Any torch file by its first bytes, as torch.load chooses: a zip begins with ``PK\\3\\4``, all else goes the older way."""

from __future__ import annotations

from loadproof.formats.faults import Faults
from loadproof.formats.torch.legacy import is_legacy, read_legacy
from loadproof.formats.torch.table import TorchFile
from loadproof.formats.torch.unpickle import read_pickle
from loadproof.formats.torch.zip_file import read_zip
from loadproof.storage.base import Ranged

ZIP = b"PK\x03\x04"
_TAR, _TAR_AT = b"ustar", 257
_PICKLES = (b"\x80", b"(", b"c", b"]", b"}")
_MOST_BARE = 1 << 26  # bytes of a bare pickle that are looked at
_HEAD = 512


def read_torch(opened: Ranged, file: str, faults: Faults) -> TorchFile:
    """What tensors a file of ``torch.save`` holds, and where. Never raises on content: it records problems.

    Raises `loadproof.storage.UnreadableError` where the file cannot be read.
    """
    head = opened.read(0, _HEAD)
    if head.startswith(ZIP):
        return read_zip(opened, file, faults)
    if is_legacy(head):
        return read_legacy(opened, file, faults)
    if head[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        text = "a tar archive as torch wrote it before 0.4: weights_only refuses it"
        faults.add("LP006", file, "tar", text, offset=0)
        return TorchFile("tar")
    return _read_bare(opened, head, file, faults)


def _read_bare(opened: Ranged, head: bytes, file: str, faults: Faults) -> TorchFile:
    """No torch file; of a bare pickle it is still said what it would call."""
    if not head.startswith(_PICKLES):
        faults.add("LP002", file, "no-torch-file", "the file is no file of torch.save", offset=0)
        return TorchFile("other")
    found, ignored = TorchFile("pickle"), Faults()
    read_pickle(opened.read(0, min(opened.size, _MOST_BARE)), 0, found, file, ignored)
    faults.extend(tuple(problem for problem in ignored.result() if problem.code == "LP012"))
    text = "a bare pickle: it does not begin with the magic number of torch"
    beyond = f"{found.beyond.kind} {found.beyond.word}" if found.beyond is not None else ""
    faults.add("LP006", file, "magic", text, offset=0, particular=beyond)
    found.is_read = False
    return found
