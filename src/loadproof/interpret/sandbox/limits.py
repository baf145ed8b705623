"""What a child may use, as the kernel counts it, and what it may ask of its parent."""

from __future__ import annotations

import sys
from contextlib import suppress

if sys.platform != "win32":
    import resource  # here, since behind the wall nothing can be imported

CPU_SECONDS = 10  # for a repository's own code
RELEASE_SECONDS = 30  # for a class of a release: the evaluator's own clock ends earlier
ELAPSED_SECONDS = 60  # until the child is given up, whatever it waits for
MEMORY = 1 << 30  # bytes of address space
REQUESTS = 10_000  # files and folders that one child may ask for
SOURCE_BYTES = 400_000_000  # of all that it is told
ANSWER_BYTES = 2_000_000  # of its answer, besides twice what it was asked

# No file, process, lock, queue, pending signal or priority. That no descriptor is free keeps a new file from opening.
_NONE_OF = ("FSIZE", "NPROC", "CORE", "NOFILE", "MEMLOCK", "MSGQUEUE", "SIGPENDING", "RTPRIO", "NICE")


def restrict(seconds: int) -> None:
    """Bounds that cannot be lifted again. They are missing on Windows, and some of them elsewhere."""
    if sys.platform == "win32":
        return
    for name, bound in {"AS": MEMORY, "CPU": seconds, **dict.fromkeys(_NONE_OF, 0)}.items():
        with suppress(AttributeError, ValueError, OSError):
            kind = getattr(resource, f"RLIMIT_{name}")
            hard = resource.getrlimit(kind)[1]
            limit = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
            # Processor time first ends in SIGXCPU, which says why, a second later in SIGKILL.
            last = limit + 1 if name == "CPU" and (hard == resource.RLIM_INFINITY or limit < hard) else limit
            resource.setrlimit(kind, (limit, last))
