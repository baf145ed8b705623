"""Each storage of a zip file against its member: there, as long as the pickle says, stored as it is."""

from __future__ import annotations

import re
from functools import lru_cache

from loadproof.formats.faults import Faults, cut
from loadproof.formats.torch.dtypes import SIZES
from loadproof.formats.torch.table import Stored, TorchFile
from loadproof.formats.torch.tensors import Storage
from loadproof.formats.torch.views import check_view, name_of
from loadproof.formats.torch.zip_archive import Archive
from loadproof.formats.torch.zip_members import STORED, Member

# Ends a `Problem.detail`: so many bytes do not follow in the file. A kind of its own, because of one kind only the first are kept.
PAST_END = "-past-end"
_DEVICE = re.compile(r"(?:cpu|cuda|mps|meta|xpu|hpu|npu|xla|mtia|privateuseone)(?::\d{1,4})?")


def place_storages(archive: Archive, root: str, found: TorchFile, faults: Faults) -> None:
    """Fill in where the bytes of each tensor lie; record what does not fit (LP008, LP020)."""
    seen: dict[int, tuple[int, int, bool]] = {}
    first: dict[str, Storage] = {}
    for stored in found.stored:
        storage = stored.tensor.storage
        if storage is None:
            continue
        if id(storage) not in seen:
            known = first.setdefault(storage.key, storage)
            if known is not storage and known.bytes != storage.bytes:
                text = f"storage {cut(ascii(storage.key))} is declared in two sizes; torch takes the first"
                faults.add("LP008", archive.file, "storage-sizes", text, tensor=name_of(stored.path))
            is_new = known is storage
            seen[id(storage)] = _place(archive, root, stored, storage, faults, is_new=is_new)
        stored.begin, stored.end, stored.is_packed = seen[id(storage)]
        check_view(stored, archive.file, faults)
    _report_unused(archive, root, first, faults)


def _place(
    archive: Archive, root: str, stored: Stored, storage: Storage, faults: Faults, *, is_new: bool
) -> tuple[int, int, bool]:
    """(begin, end, whether it is compressed); -1 and -1 where the storage is not there."""
    member = archive.members.get(f"{root}/data/{storage.key}")
    if member is None:
        name = name_of(stored.path)
        text = f"storage {cut(ascii(storage.key))} of {cut(ascii(name))} is not in the archive"
        faults.add("LP008", archive.file, "storage-absent", text, tensor=name, particular=storage.key[:100])
        return -1, -1, False
    begin = archive.locate(member)
    if begin >= 0 and is_new:
        _compare(archive, member, stored, storage, faults)
    return begin, begin + member.packed if begin >= 0 else -1, member.method != STORED


def _compare(archive: Archive, member: Member, stored: Stored, storage: Storage, faults: Faults) -> None:
    """`PAST_END`: a reader that maps the file would need bytes beyond its end."""
    size = storage.bytes
    if member.method == STORED and member.size == size and _is_device(storage.location):
        return
    name = name_of(stored.path)
    at_end = PAST_END if member.begin + _needed(stored) > archive.opened.size else ""
    if member.method != STORED:
        text = f"{cut(ascii(name))} is compressed: a reader that maps the file takes the packed bytes for numbers"
        faults.add("LP020", archive.file, f"compressed{at_end}", text, tensor=name, offset=member.begin)
    if member.size != size:
        is_short = member.size < size
        text = f"the storage of {cut(ascii(name))} holds {member.size:,} bytes where its pickle declares {size:,}"
        faults.add(
            "LP008",
            archive.file,
            f"record-short{at_end}" if is_short else "record-long",
            text,
            tensor=name,
            expected=f"{size} bytes",
            found=f"{member.size} bytes",
            offset=member.begin,
            severity="error" if is_short else "warning",
        )
    if not _is_device(storage.location):
        text = f"{cut(ascii(name))} was saved from a device of no known name: {cut(ascii(storage.location))}"
        faults.add("LP007", archive.file, "device", text, tensor=name, severity="warning")


@lru_cache(maxsize=64)
def _is_device(location: str) -> bool:
    return _DEVICE.fullmatch(location) is not None


def _needed(stored: Stored) -> int:
    """Bytes from the start of the storage to the end of the tensor's last element."""
    tensor = stored.tensor
    if not all(tensor.shape):
        return 0
    last = tensor.offset + sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride, strict=False))
    return (last + 1) * SIZES[tensor.dtype]


def _report_unused(archive: Archive, root: str, used: dict[str, Storage], faults: Faults) -> None:
    begin = f"{root}/data/"
    rest = [name for name in archive.members if name.startswith(begin) and name[len(begin) :] not in used]
    if rest:
        text = f"{len(rest):,} storages belong to no tensor, {cut(ascii(rest[0]))} first"
        faults.add("LP004", archive.file, "unused-storage", text, severity="warning")
