"""When an in-place change is refused. Every reason names the way out; the usual one is a copy (``--out DIR``)."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
from collections.abc import Iterable, Sequence

from loadproof.core.repairs import REPAIRED_COPY
from loadproof.records.names import JOURNAL, number_of
from loadproof.repair.contained import why_forbidden
from loadproof.repair.mounts import REMOTE, can_shift, file_system, free_bytes
from loadproof.repair.plan import Plan, Refusal
from loadproof.repair.steps import Cut, Grow, Move, Patch, Rewrite, Step, Swap, names_in

CLOSE_READERS = "stop the programs that use it, or " + REPAIRED_COPY


def gates(plan: Plan, *, readers_stopped: bool = False) -> tuple[Refusal, ...]:
    """Reasons to refuse `apply`. `readers_stopped`: the user vouches where the kernel cannot tell (overlay, tmpfs)."""
    refusals = [*_folder_gates(plan.root), *_inner_gates(plan.root, plan.steps)]
    for step in plan.steps:
        refusals += _contained(step, plan.number)
        refusals += _step_gates(plan.root, step, readers_stopped)
    refusals += _space_gates(plan)
    return _once(refusals)


def record_gates(root: str, steps: Sequence[Step], *, started: bool = False) -> tuple[Refusal, ...]:
    """Reasons to refuse carrying out a record; `started`: it was interrupted, so some steps may be done already.

    Readers were let in again after a repair: those that are seen count, and where none can be seen it goes on.
    """
    refusals = [*_folder_gates(root), *_inner_gates(root, steps)]
    for step in steps:
        refusals += _file_gates(root, step) if started else _step_gates(root, step, readers_stopped=True)
    return tuple(Refusal(refusal.reason, "nothing was touched", refusal.file) for refusal in _once(refusals))


def _file_gates(root: str, step: Step) -> Iterable[Refusal]:
    for name in names_in(step):
        path = os.path.join(root, name)
        if os.path.lexists(path):
            in_place = isinstance(step, Patch | Grow | Cut)
            yield from (Refusal(f"{name}: {reason}", "", name) for reason in _reasons(path, os.lstat(path), in_place))


def _once(refusals: Iterable[Refusal]) -> tuple[Refusal, ...]:
    unique = {(refusal.file, refusal.reason): refusal for refusal in refusals}
    return tuple(unique.values())


def _contained(step: Step, number: int) -> Iterable[Refusal]:
    """What no undo would touch is not touched in the first place."""
    reason = why_forbidden(step, number)
    if reason:
        yield Refusal(f"a repair in place is not for this: {reason}", REPAIRED_COPY)


def _inner_gates(root: str, steps: Iterable[Step]) -> Iterable[Refusal]:
    """A folder with records of its own is a checkpoint of its own: the helper files of two repairs would meet there."""
    for folder in sorted({names_in(step)[0].rpartition("/")[0] for step in steps} - {""}):
        with contextlib.suppress(OSError):
            names = os.listdir(os.path.join(root, folder))
            record = next((name for name in sorted(names) if name == JOURNAL or number_of(name)), None)
            if record:
                reason = f"{folder}/{record} says that {folder} was repaired by itself"
                yield Refusal(reason, f"take that back first: loadproof undo {os.path.join(root, folder)}", folder)


def _folder_gates(root: str) -> Iterable[Refusal]:
    kind = file_system(root)
    if kind in REMOTE or kind.startswith("fuse."):
        yield Refusal(
            f"{root} is on a {kind} file system, where neither crash safety nor other users can be checked",
            REPAIRED_COPY,
        )
    if os.statvfs(root).f_flag & os.ST_RDONLY:
        yield Refusal(f"{root} is on a file system mounted read-only", REPAIRED_COPY)
    elif not os.access(root, os.W_OK | os.X_OK):
        yield Refusal(f"the folder {root} is not writable", REPAIRED_COPY)
    if is_hub_cache(root):
        yield Refusal(
            f"{root} is in a Hugging Face cache: its files are named by their hash and shared by snapshots",
            REPAIRED_COPY,
        )


def _step_gates(root: str, step: Step, readers_stopped: bool) -> Iterable[Refusal]:
    file = step.source if isinstance(step, Move) else step.file
    path = os.path.join(root, file)
    if isinstance(step, Move) and os.path.lexists(os.path.join(root, step.target)):
        yield Refusal(f"{step.target} is there already", "give it another name", file)
    if not os.path.lexists(path):
        return  # made by this plan
    found = os.lstat(path)
    reasons = list(_reasons(path, found, isinstance(step, Patch | Grow | Cut)))
    yield from (Refusal(f"{file}: {reason}", REPAIRED_COPY, file) for reason in reasons)
    if not reasons and isinstance(step, Grow) and not can_shift(root, step.room):
        yield Refusal(f"{file}: needs room at its front, which this file system cannot insert", REPAIRED_COPY, file)
    if not reasons and isinstance(step, Patch | Grow | Cut | Swap):
        yield from _reader_gates(file, path, readers_stopped)


def _reasons(path: str, found: os.stat_result, in_place: bool) -> Iterable[str]:
    if stat.S_ISLNK(found.st_mode):
        yield f"a symbolic link to {os.readlink(path)}: the change would land there"
        return
    if os.path.realpath(folder := os.path.dirname(path)) != os.path.normpath(folder):
        yield f"behind a linked folder ({os.path.realpath(folder)}): the change would land there"
        return
    if not stat.S_ISREG(found.st_mode):
        yield "not a regular file"
        return
    if in_place and found.st_nlink != 1:
        yield f"{found.st_nlink} hard links: the change would reach the other names"
    if is_blob(path):
        yield "a content-addressed blob: its name is its hash and others share it"
    if found.st_uid != os.geteuid():
        yield "owned by another user"
    if not found.st_mode & stat.S_IWUSR:
        yield "read-only"
    elif in_place:
        with contextlib.suppress(OSError):
            os.close(os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC))
            return
        yield "cannot be opened for writing (immutable, or in use as a program)"


def _reader_gates(file: str, path: str, readers_stopped: bool) -> Iterable[Refusal]:
    used = is_used_elsewhere(path)
    if used:
        yield Refusal(f"{file}: open or mapped by another program", CLOSE_READERS, file)
    elif used is None and not readers_stopped:
        yield Refusal(
            f"{file}: this file system cannot tell whether other programs use it",
            f"say --readers-stopped if none does, or {REPAIRED_COPY}",
            file,
        )


def is_used_elsewhere(path: str) -> bool | None:
    """True if any other descriptor or mapping of the file exists; None where the kernel cannot tell.

    Linux grants a write lease on a local file only to its sole user.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        return False
    except BlockingIOError:
        return True
    except (OSError, AttributeError):
        return None
    finally:
        os.close(descriptor)


def is_blob(path: str) -> bool:
    """A file of a content-addressed store: Hugging Face blobs and snapshots, ollama blobs."""
    real = os.path.realpath(path)
    return is_hub_cache(real) or os.path.basename(os.path.dirname(real)) == "blobs"


def is_hub_cache(path: str) -> bool:
    parts = os.path.realpath(path).split(os.sep)
    return any(part.startswith(("models--", "datasets--", "spaces--")) for part in parts)


def _space_gates(plan: Plan) -> Iterable[Refusal]:
    needed = bytes_needed(plan)
    free = free_bytes(plan.root)
    if needed > free:
        text = f"{needed:,} bytes are needed beside the checkpoint, {free:,} are free"
        yield Refusal(text, "free some space, or make the copy on another disk with --out DIR")


def bytes_needed(plan: Plan) -> int:
    """Upper bound of the bytes that exist beside the old files at any moment of an in-place repair."""
    record = sum(_kept_bytes(step) for step in plan.steps)
    texts = sum(len(step.new or b"") for step in plan.steps if isinstance(step, Rewrite))
    return record + texts + sum(stream.size for stream in plan.streams) + (1 << 20)


def _kept_bytes(step: Step) -> int:
    match step:
        case Patch(_, _, old, new) | Grow(_, _, old, new):
            return len(old) + len(new)
        case Rewrite(_, before, after):
            return len(before or b"") + len(after or b"")
        case Cut(_, _, tail, _):
            return len(tail)
        case _:
            return 0
