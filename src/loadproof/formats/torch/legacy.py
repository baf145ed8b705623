"""The stream of torch before 1.6 (or ``_use_new_zipfile_serialization=False``): five pickles, then the storages."""

from __future__ import annotations

from loadproof.formats.faults import Faults, cut
from loadproof.formats.pickled import Machine, PickleError, run
from loadproof.formats.pickled.values import Value
from loadproof.formats.torch.dtypes import SIZES
from loadproof.formats.torch.table import Stored, TorchFile
from loadproof.formats.torch.tensors import Storage
from loadproof.formats.torch.unpickle import read_pickle
from loadproof.formats.torch.views import check_view, name_of
from loadproof.formats.torch.walk import collect
from loadproof.storage.base import Ranged

_MAGIC = b"\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."  # 0x1950a86a20f9469cfc6c
_VERSION = 1001
_MOST_PICKLE = 1 << 26  # bytes
_FIRST_WINDOW = 1 << 20


def is_legacy(head: bytes) -> bool:
    """Whether a file begins with the magic number of the stream."""
    return head[:1] == b"\x80" and head[2 : 2 + len(_MAGIC)] == _MAGIC


def read_legacy(opened: Ranged, file: str, faults: Faults) -> TorchFile:
    """The tensors of the stream; what is wrong with it becomes a problem."""
    found, names, at = _pickles(opened, file, faults)
    if found.is_read:
        collect(found, file, faults)
        _place(opened, file, at, names, found, faults)
    return found


def _pickles(opened: Ranged, file: str, faults: Faults) -> tuple[TorchFile, list[str], int]:
    """The value, the keys of the storages in their order, and where these begin.

    The pickles lie in front: as much is read as they need, in growing windows.
    """
    most, window = min(opened.size, _MOST_PICKLE), _FIRST_WINDOW
    while True:
        data, tried, found = opened.read(0, min(window, most)), Faults(), TorchFile("legacy")
        try:
            read_pickle(data, _prologue(data, file, tried), found, file, tried)
            if found.is_read:
                keys = Machine(data, found.end)
                names = _keys(run(keys))
                faults.extend(tried.result())
                return found, names, keys.pos
        except PickleError:
            pass
        if window >= most:
            break
        window *= 4
    found.is_read = False
    faults.extend(tuple(problem for problem in tried.result() if problem.detail != "pickle"))
    text = "the pickles at the start of the file do not end in it"
    faults.add("LP003", file, "pickle-cut", text, offset=opened.size, found=f"{opened.size} bytes")
    return found, [], 0


def _keys(value: Value) -> list[str]:
    return [str(key) for key in value if isinstance(key, str | int)] if isinstance(value, list) else []


def _prologue(data: bytes, file: str, faults: Faults) -> int:
    """Where the third pickle begins: magic number, version and what the machine was like come first."""
    magic = Machine(data)
    run(magic)
    version = Machine(data, magic.pos)
    if run(version) != _VERSION:
        faults.add("LP006", file, "version", f"the version of the stream is not {_VERSION}", offset=magic.pos)
    system = Machine(data, version.pos)
    about = run(system)
    if not isinstance(about, dict) or about.get("little_endian") is not True:
        text = "written on a big-endian machine: torch does not turn the bytes of this form"
        faults.add("LP006", file, "endian", text, offset=version.pos)
    return system.pos


def _place(opened: Ranged, file: str, at: int, names: list[str], found: TorchFile, faults: Faults) -> None:
    storages: dict[str, Storage] = {}
    for stored in found.stored:
        if stored.tensor.storage is not None:
            storages.setdefault(stored.tensor.storage.key, stored.tensor.storage)
    places = _walk(opened, file, at, names, storages, faults)
    for stored in found.stored:
        storage = stored.tensor.storage
        if storage is None:
            continue
        _check(stored, storage, frozenset(names), file, faults)
        stored.begin, stored.end = _inside(storage, places.get(storage.key, (-1, -1)))
        check_view(stored, file, faults)


def _walk(
    opened: Ranged, file: str, at: int, names: list[str], storages: dict[str, Storage], faults: Faults
) -> dict[str, tuple[int, int]]:
    """Storage after storage, in the order of the keys: a number of elements, then the elements."""
    places: dict[str, tuple[int, int]] = {}
    for name in names:
        storage = storages.get(name)
        if storage is None:
            text = f"storage {cut(ascii(name))} belongs to no tensor, so its length is not known"
            faults.add("LP008", file, "storage-unknown", text, offset=at)
            return places
        count = int.from_bytes(opened.read(at, 8), "little", signed=True) if at + 8 <= opened.size else storage.length
        end = at + 8 + storage.bytes
        if count != storage.length:
            text = f"storage {cut(ascii(name))} holds {count:,} elements where the pickle declares {storage.length:,}"
            faults.add("LP008", file, "record-count", text, offset=at)
            return places
        if end > opened.size:
            text = f"the file ends {end - opened.size:,} bytes before the end of storage {cut(ascii(name))}"
            text += f"; {len(places):,} of {len(names):,} storages are whole"
            faults.add("LP003", file, "storages-cut", text, offset=opened.size, particular=f"{end - opened.size}")
            return places
        places[name] = (at + 8, end)
        at = end
    if at != opened.size:
        text = f"{opened.size - at:,} bytes follow the last storage"
        faults.add("LP004", file, "trailing", text, severity="warning", offset=at)
    return places


def _check(stored: Stored, storage: Storage, names: frozenset[str], file: str, faults: Faults) -> None:
    name = name_of(stored.path)
    if storage.key not in names:
        text = f"storage {cut(ascii(storage.key))} of {cut(ascii(name))} is not in the list of keys"
        faults.add("LP008", file, "storage-absent", text, tensor=name)
    if storage.is_untyped:
        text = f"torch writes {stored.tensor.dtype} in this older form and cannot read it back: {cut(ascii(name))}"
        faults.add("LP007", file, "untyped", text, tensor=name)


def _inside(storage: Storage, place: tuple[int, int]) -> tuple[int, int]:
    """The part of a storage that a view of it shows."""
    if storage.view is None or place[0] < 0:
        return place
    size = SIZES[storage.dtype]
    begin = place[0] + storage.view[1] * size
    return begin, begin + storage.view[2] * size
