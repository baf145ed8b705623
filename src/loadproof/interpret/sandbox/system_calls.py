"""The system calls that an evaluation needs, and the filter program that lets nothing else through.

Eight calls were found necessary (CPython 3.11 to 3.13 with glibc): read, write, brk, mmap, munmap, mremap, clock_gettime,
exit_group. The others that are allowed serve other C libraries and `abort`. What a harmless interpreter may ask in
passing is refused with EPERM. All else ends the process, and so does every call that takes a path: `os.path.isfile`
would make False of a refusal, and the evaluator a wrong answer of that.

Numbers: Linux, arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
"""

from __future__ import annotations

import errno
from typing import NamedTuple

INPUT, OUTPUT = 0, 1  # the two descriptors that stay open


class Machine(NamedTuple):
    """AUDIT_ARCH of linux/audit.h, and which column of the tables below is its own."""

    audit: int
    column: int


class Argument(NamedTuple):
    """The low word of an argument, masked, must be one of the values."""

    position: int
    mask: int
    values: tuple[int, ...]


class Instruction(NamedTuple):
    """One line of classic BPF: linux/bpf_common.h. The jumps count from the next line."""

    code: int
    if_true: int
    if_false: int
    value: int


MACHINES = {
    "x86_64": Machine(0xC000003E, 0),
    "aarch64": Machine(0xC00000B7, 1),
    "riscv64": Machine(0xC00000F3, 1),
}
ALLOWED = {
    "munmap": (11, 215),
    "brk": (12, 214),
    "mremap": (25, 216),
    "clock_gettime": (228, 113),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "rt_sigreturn": (15, 139),
    "getrandom": (318, 278),
    "getpid": (39, 172),
    "gettid": (186, 178),
}
_WORD, _EXECUTABLE, _ANONYMOUS = 0xFFFFFFFF, 0x4, 0x20
_FUTEX_COMMAND = 0x7F  # without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME
_ABORT = 6
RESTRICTED = {
    "read": ((0, 63), (Argument(0, _WORD, (INPUT,)),)),
    "write": ((1, 64), (Argument(0, _WORD, (OUTPUT,)),)),
    "mmap": ((9, 222), (Argument(2, _EXECUTABLE, (0,)), Argument(3, _ANONYMOUS, (_ANONYMOUS,)))),
    "mprotect": ((10, 226), (Argument(2, _EXECUTABLE, (0,)),)),
    "madvise": ((28, 233), (Argument(2, _WORD, (4, 8, 14)),)),  # DONTNEED, FREE, HUGEPAGE
    "futex": ((202, 98), (Argument(1, _FUTEX_COMMAND, (0, 1, 9, 10)),)),  # WAIT, WAKE and their BITSET forms
}
REFUSED = {
    "fstat": (5, 80),
    "lseek": (8, 62),
    "ioctl": (16, 29),
    "fcntl": (72, 25),
    "close": (3, 57),
    "uname": (63, 160),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "sigaltstack": (131, 132),
    "sched_getaffinity": (204, 123),
    "sched_yield": (24, 124),
    "sysinfo": (99, 179),
    "getrusage": (98, 165),
    "prlimit64": (302, 261),
}
TGKILL = (234, 131)  # of itself by SIGABRT only: then `abort` is an abort and no riddle
SECCOMP = (317, 277)
CAPSET = (126, 91)

ALLOW, KILL = 0x7FFF0000, 0x80000000  # SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS
REFUSE = 0x00050000 | errno.EPERM  # SECCOMP_RET_ERRNO
_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _AUDIT, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x40000000  # calls of the x32 ABI have numbers from here on


def program(machine: Machine, process: int) -> list[Instruction]:
    """The filter for one kind of machine; `process` is the only one that may be aborted."""
    code = [
        Instruction(_LOAD, 0, 0, _AUDIT),
        Instruction(_EQUAL, 1, 0, machine.audit),
        Instruction(_RETURN, 0, 0, KILL),
        Instruction(_LOAD, 0, 0, _NUMBER),
    ]
    if machine == MACHINES["x86_64"]:
        code += _answered(_AT_LEAST, _X32, KILL)
    for numbers in ALLOWED.values():
        code += _answered(_EQUAL, numbers[machine.column], ALLOW)
    for numbers, arguments in RESTRICTED.values():
        code += _restricted(numbers[machine.column], arguments)
    code += _restricted(TGKILL[machine.column], (Argument(0, _WORD, (process,)), Argument(2, _WORD, (_ABORT,))))
    for numbers in REFUSED.values():
        code += _answered(_EQUAL, numbers[machine.column], REFUSE)
    return [*code, Instruction(_RETURN, 0, 0, KILL)]


def _answered(test: int, value: int, answer: int) -> list[Instruction]:
    return [Instruction(test, 0, 1, value), Instruction(_RETURN, 0, 0, answer)]


def _restricted(number: int, arguments: tuple[Argument, ...]) -> list[Instruction]:
    """Allow a call whose arguments are all among their values, refuse it otherwise."""
    block: list[Instruction] = []
    for argument in arguments:
        block += [
            Instruction(_LOAD, 0, 0, _ARGUMENTS + 8 * argument.position),
            Instruction(_AND, 0, 0, argument.mask),
        ]
        last = len(argument.values)  # where the jump leads: behind the refusal
        block += [Instruction(_EQUAL, last - i, 0, value) for i, value in enumerate(argument.values)]
        block.append(Instruction(_RETURN, 0, 0, REFUSE))
    block.append(Instruction(_RETURN, 0, 0, ALLOW))
    return [Instruction(_EQUAL, 0, len(block), number), *block]
