"""Bringing steps to their new side, from whatever state a crash has left; driving their inverses is rolling back.

Order: close every header that changes (or one text), change everything else, open. Readers meet a closed file until
the last step, so they never take a mixture for a checkpoint.
"""

from __future__ import annotations

from collections.abc import Sequence

from loadproof.repair.disk import Disk
from loadproof.repair.states import CLOSED, HEADER_START, is_done
from loadproof.repair.steps import Cut, Grow, Move, Patch, Rewrite, Step, Swap, beside

PROBE = 1 << 16  # bytes of the data that are compared after it was shifted


def drive(disk: Disk, steps: Sequence[Step]) -> None:
    """Bring every step to its new side, durably. Steps that are there already are left alone."""
    pending = [step for step in steps if not is_done(disk, step)]
    patches = [step for step in pending if isinstance(step, Patch | Grow)]
    others = [step for step in pending if not isinstance(step, Patch | Grow)]
    door = _door(steps, others) if not patches else None
    for patch in patches:
        _close_header(disk, patch)
    if door is not None:
        _put(disk, door.file, CLOSED)
    for patch in patches:
        _write_body(disk, patch)
    for step in others:
        if step is not door:
            _change(disk, step)
    if door is not None:
        _change(disk, door)
    for patch in patches:
        _open_header(disk, patch)


def _door(steps: Sequence[Step], pending: Sequence[Step]) -> Rewrite | None:
    # One file whose replacement by an unreadable text keeps readers out while several files change.
    candidates = [s for s in steps if isinstance(s, Rewrite) and s.old is not None and s.new is not None]
    if not candidates or pending in ([], [candidates[-1]]):
        return None
    return candidates[-1]


def _close_header(disk: Disk, patch: Patch | Grow) -> None:
    disk.write(patch.file, HEADER_START, b"\0")
    disk.fsync(patch.file)


def _write_body(disk: Disk, patch: Patch | Grow) -> None:
    if isinstance(patch, Grow):
        _write_head(disk, patch)
        return
    disk.write(patch.file, HEADER_START + 1, patch.new[1:])
    disk.fsync(patch.file)
    if disk.read(patch.file, HEADER_START + 1, len(patch.new) - 1) != patch.new[1:]:
        raise OSError(f"{patch.file}: what was written does not read back")


def _write_head(disk: Disk, step: Grow) -> None:
    if disk.size(step.file) == step.size:
        data = _ends(disk, step.file, len(step.old))
        disk.shift(step.file, step.room)
        disk.fsync(step.file)
        if _ends(disk, step.file, len(step.new)) != data:
            raise OSError(f"{step.file}: the tensors are not where they should be")
    closed = step.new[:HEADER_START] + b"\0" + step.new[HEADER_START + 1 :]
    disk.write(step.file, 0, closed)
    disk.fsync(step.file)
    if disk.read(step.file, 0, len(closed)) != closed:
        raise OSError(f"{step.file}: what was written does not read back")


def _ends(disk: Disk, file: str, begin: int) -> tuple[bytes, bytes]:
    """The first and last bytes of the data, which begins at `begin`."""
    return disk.read(file, begin, PROBE), disk.read(file, max(begin, disk.size(file) - PROBE), PROBE)


def _open_header(disk: Disk, patch: Patch | Grow) -> None:
    first = HEADER_START if isinstance(patch, Grow) else 0
    disk.write(patch.file, HEADER_START, patch.new[first : first + 1])
    disk.fsync(patch.file)


def _change(disk: Disk, step: Step) -> None:
    match step:
        case Rewrite(file, _, None):
            drop(disk, file)
        case Rewrite(file, _, bytes(new)):
            _put(disk, file, new)
        case Cut(file, size, _, False):
            disk.truncate(file, size)
            disk.fsync(file)
        case Cut(file, size, tail, True):
            disk.write(file, size, tail)
            disk.fsync(file)
        case Move(source, target):
            disk.rename(source, target)
            disk.fsync_folder(target)
        case Swap():
            _swap(disk, step)


def _put(disk: Disk, file: str, content: bytes) -> None:
    temporary = beside(file, "tmp")
    disk.clear(temporary)
    disk.create(temporary, like=file)
    disk.write(temporary, 0, content)
    disk.fsync(temporary)
    disk.rename(temporary, file)
    disk.fsync_folder(file)


def drop(disk: Disk, file: str) -> None:
    """Remove a file, durably."""
    disk.unlink(file)
    disk.fsync_folder(file)


def _swap(disk: Disk, step: Swap) -> None:
    if disk.same(step.fresh, step.file):  # POSIX: renaming one name of a file over another one does nothing
        drop(disk, step.fresh)
        return
    if not disk.exists(step.kept):
        disk.link(step.file, step.kept)
        disk.fsync_folder(step.file)
    disk.rename(step.fresh, step.file)
    disk.fsync_folder(step.file)
