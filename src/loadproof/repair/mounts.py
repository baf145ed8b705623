"""What the file system below a folder is, and what it can do."""

from __future__ import annotations

import os
import tempfile

from loadproof.records.names import PREFIX
from loadproof.repair.disk import shift

# File systems whose fsync or rename does not promise what the protocol needs, or whose users are on other machines.
_REMOTE = """nfs nfs4 cifs smb3 smbfs smb2 9p ceph lustre glusterfs gfs2 ocfs2 afs ncpfs beegfs gpfs orangefs pvfs2
virtiofs fuse fuseblk davfs vboxsf prl_fs drvfs"""
REMOTE = frozenset(_REMOTE.split())
INSERTING = frozenset({"ext4", "xfs"})  # FALLOC_FL_INSERT_RANGE


def file_system(path: str) -> str:
    """The type of the file system that holds `path`, e.g. ``ext4``; empty where that is not known."""
    real, best, kind = os.path.realpath(path), "", ""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as stream:
            for line in stream:
                left, _, right = line.partition(" - ")
                point = left.split(" ")[4].replace("\\040", " ")
                inside = point == "/" or real == point or real.startswith(point + "/")
                if inside and len(point) >= len(best):
                    best, kind = point, right.split(" ")[0]
    except (OSError, IndexError):
        return ""
    return kind


def block_to_insert(folder: str) -> int:
    """The unit in which room can be inserted into a file there, 0 where that is not known to work."""
    return os.statvfs(folder).f_bsize if file_system(folder) in INSERTING else 0


def can_shift(folder: str, room: int) -> bool:
    """Tries it on a file of its own, without a name: a process that is killed meanwhile leaves nothing."""
    try:
        with tempfile.TemporaryFile(prefix=PREFIX + "tmp-", dir=folder) as stream:
            stream.write(bytes(2 * abs(room)))
            stream.flush()
            shift(stream.fileno(), abs(room))
            return os.fstat(stream.fileno()).st_size == 3 * abs(room)
    except OSError:
        return False


def free_bytes(folder: str | int) -> int:
    """Bytes that this user may still write there (a path, or an open folder)."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize
