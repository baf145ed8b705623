"""A torch file of release 1.6 or later: a zip archive of one pickle and one member per storage."""

from __future__ import annotations

from loadproof.formats.faults import Faults, cut
from loadproof.formats.torch.storages import place_storages
from loadproof.formats.torch.table import TorchFile
from loadproof.formats.torch.unpickle import read_pickle
from loadproof.formats.torch.walk import collect
from loadproof.formats.torch.zip_archive import Archive
from loadproof.formats.torch.zip_cut import read_cut
from loadproof.storage.base import Ranged

_PICKLE = "data.pkl"
_WRITTEN = frozenset(
    (_PICKLE, "version", "byteorder", ".format_version", ".storage_alignment", ".data/serialization_id")
)
_SCRIPT = "constants.pkl"  # by which torch knows a TorchScript archive
_FOLDERS = ("data/", "code/", "extra/")
_PICKLE_STARTS = (b"\x80", b"c", b"(")


def read_zip(opened: Ranged, file: str, faults: Faults) -> TorchFile:
    """The tensors of the file; what is wrong with it becomes a problem."""
    found, archive = TorchFile("zip"), Archive(opened, file, faults)
    if not archive.has_directory:
        read_cut(opened, file, found, faults)
        return found
    root = _root(archive, file, faults)
    if root is None:
        return found
    _check_order(archive, root, file, faults)
    _check_members(archive, root, file, faults)
    data = archive.read(f"{root}/{_PICKLE}")
    if data is not None:
        read_pickle(data, 0, found, file, faults)
    if found.is_read:
        collect(found, file, faults)
        place_storages(archive, root, found, faults)
    return found


def _root(archive: Archive, file: str, faults: Faults) -> str | None:
    """The folder inside the archive that torch reads: that of the first member. None where it holds no pickle."""
    names = list(archive.members)
    roots = [name[: -len(_PICKLE) - 1] for name in names if name.endswith(f"/{_PICKLE}")]
    if not roots:
        text = f"a zip archive without {_PICKLE}, which torch.save always writes"
        faults.add("LP002", file, "no-pickle", text, offset=0, found=f"{len(names)} members")
        return None
    if len({name.split("/", 1)[0] for name in names}) > 1 or len(roots) > 1:
        text = "the archive holds several folders; torch reads the first one's pickle"
        faults.add("LP006", file, "zip-roots", text, found=f"{len(roots)} pickles")
    first = names[0].split("/", 1)[0]
    if any(name.startswith(f"{first}/code/") or name == f"{first}/{_SCRIPT}" for name in names):
        text = "a TorchScript archive: torch.jit.load reads it, no library takes a state dict from it"
        faults.add(
            "LP002", file, "torchscript", text, offset=0, particular=_SCRIPT if f"{first}/{_SCRIPT}" in names else ""
        )
    return first if first in roots else roots[0]


def _check_order(archive: Archive, root: str, file: str, faults: Faults) -> None:
    name = f"{root}/byteorder"
    order = archive.read(name) if name in archive.members else b"little"
    if order is None or order == b"little":
        return
    is_big = order == b"big"
    text = (
        "the numbers are stored in big-endian order" if is_big else "the order of the bytes is named by no known word"
    )
    faults.add(
        "LP006",
        file,
        "byte-order",
        f"{text}: {cut(ascii(order.decode('latin-1')))}",
        particular=order.decode("latin-1")[:40],
    )


def _check_members(archive: Archive, root: str, file: str, faults: Faults) -> None:
    """What torch does not write: a further pickle is a fault, other members are worth a word."""
    for name, member in archive.members.items():
        rest = name[len(root) + 1 :] if name.startswith(f"{root}/") else name
        if rest in (*_WRITTEN, _SCRIPT) or rest.startswith(_FOLDERS):
            continue
        begin = archive.locate(member)
        head = archive.opened.read(begin, 4) if begin >= 0 else b""
        if head.startswith(_PICKLE_STARTS):
            text = f"a further pickle lies in the archive: {cut(ascii(name))}"
            faults.add("LP012", file, "further-pickle", text, offset=begin, found=name)
        else:
            text = f"torch writes no such member: {cut(ascii(name))}"
            faults.add("LP006", file, "zip-extra", text, severity="warning", found=name)
