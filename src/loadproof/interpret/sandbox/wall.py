"""The wall around the process that evaluates strangers' text (Linux).

It is raised once, when everything is imported and not one byte from strangers is read. From then on the process can
compute, take memory up to a bound, read one descriptor, write another, and end. Each layer stands for itself; only the
filter of system calls is a condition, since without it the others leave much open.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from loadproof.interpret.sandbox.kernel import DUMPABLE, NO_NEW_PRIVS, PDEATHSIG, Kernel
from loadproof.interpret.sandbox.limits import restrict
from loadproof.interpret.sandbox.system_calls import INPUT, MACHINES, OUTPUT, Machine, program

_NOBODY = 65534
_DESCRIPTORS = 1 << 12  # the parent leaves three open; whatever else there is could be neither read nor written


class NoWall(Exception):  # noqa: N818 - an outcome: nothing may be evaluated
    """Why system calls cannot be filtered here."""


def raise_wall(seconds: int) -> str:
    """Put up every layer there is, and name them. Raises NoWall where system calls cannot be filtered."""
    machine, parent = _machine(), os.getppid()
    kernel = Kernel(machine)
    os.closerange(OUTPUT + 1, _DESCRIPTORS)
    sys.stderr = None
    layers = ["no privileges"] if _drop_privileges(kernel) else []
    # A change of user resets these two, so that they come behind it. No core dump, nobody else may look into the memory.
    kernel.set(DUMPABLE, 0)
    kernel.set(PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it ended in between, and nobody would end this process
    sys.meta_path.clear()  # a late import fails at once, and without a system call
    sys.path_hooks.clear()
    kernel.set(NO_NEW_PRIVS, 1)
    version = kernel.forbid_paths()
    layers += [f"Landlock {version}"] if version else []
    restrict(seconds)
    if not kernel.filter_calls(program(machine, os.getpid())) or not _acts():
        raise NoWall("the kernel filters no system calls")
    return ", ".join(["system calls filtered", *layers])


def _machine() -> Machine:
    if sys.platform != "linux":
        raise NoWall(f"none is known for this system ({sys.platform})")
    name = os.uname().machine
    if name not in MACHINES or sys.maxsize < 1 << 32 or sys.implementation.name != "cpython":
        raise NoWall(f"none is known for {sys.implementation.name} on {name}")
    return MACHINES[name]


def _drop_privileges(kernel: Kernel) -> bool:
    """Root becomes nobody; where that user is not mapped (a user namespace) it only loses its capabilities."""
    if os.geteuid() == 0:
        with suppress(OSError):
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    return kernel.drop_capabilities() and os.geteuid() != 0


def _acts() -> bool:
    """Whether the filter does what it says: a pipe answers ESPIPE, the filter EPERM."""
    try:
        os.lseek(INPUT, 0, os.SEEK_CUR)
    except PermissionError:
        return True
    except OSError:
        return False
    return False
