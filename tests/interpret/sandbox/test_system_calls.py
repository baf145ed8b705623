"""The filter without a kernel: a small machine for classic BPF runs it on every call number of every architecture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from loadproof.interpret.sandbox.system_calls import (
    ALLOW,
    ALLOWED,
    CAPSET,
    KILL,
    MACHINES,
    REFUSE,
    REFUSED,
    RESTRICTED,
    SECCOMP,
    TGKILL,
    Instruction,
    Machine,
    program,
)

PROCESS = 4242
ODD = (9_999, 9_999, 9_999 | 4)  # arguments that fit none of the restricted calls


def answer(code: Sequence[Instruction], audit: int, number: int, arguments: Sequence[int] = ()) -> int:
    """What the filter says to a call: struct seccomp_data in words of 32 bits, little endian."""
    words = {0: number & 0xFFFFFFFF, 4: audit}
    for position in range(6):
        value = arguments[position] if position < len(arguments) else 0
        words[16 + 8 * position], words[20 + 8 * position] = value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF
    at = held = 0
    while True:
        line = code[at]
        at += 1
        if line.code == 0x20:
            held = words[line.value]
        elif line.code == 0x54:
            held &= line.value
        elif line.code in (0x15, 0x35):
            holds = held == line.value if line.code == 0x15 else held >= line.value
            at += line.if_true if holds else line.if_false
        elif line.code == 0x06:
            return line.value
        else:
            raise AssertionError(f"no instruction of this filter: {line}")


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> Machine:
    return MACHINES[request.param]


def test_the_kernel_takes_the_program(machine: Machine) -> None:
    code = program(machine, PROCESS)
    assert len(code) < 4_096
    assert all(0 <= jump < 256 for line in code for jump in (line.if_true, line.if_false))


def test_every_number_that_is_not_listed_kills(machine: Machine) -> None:
    code, column = program(machine, PROCESS), machine.column
    allowed = {numbers[column] for numbers in ALLOWED.values()}
    refused = {numbers[column] for numbers in REFUSED.values()} | {TGKILL[column]}
    refused |= {numbers[column] for numbers, _ in RESTRICTED.values()}
    for number in range(1_200):
        wanted = ALLOW if number in allowed else REFUSE if number in refused else KILL
        assert answer(code, machine.audit, number, ODD) == wanted, number


def test_numbers_out_of_range_and_of_x32_kill(machine: Machine) -> None:
    code = program(machine, PROCESS)
    for number in (-1, 1 << 30, 1 << 30 | 1, 1 << 30 | 231, 1 << 31, 0xFFFFFFFF):
        assert answer(code, machine.audit, number) == KILL


def test_calls_of_another_architecture_kill(machine: Machine) -> None:
    code = program(machine, PROCESS)
    others = {0x40000003, 0x40000028, 0, *(other.audit for other in MACHINES.values())} - {machine.audit}
    assert {answer(code, audit, number) for audit in others for number in range(500)} == {KILL}


PASSES = [
    ("read", (0, 1, 2)),
    ("read", (1 << 32,)),  # the kernel looks at the low word of a descriptor as well
    ("write", (1,)),
    ("mmap", (0, 4_096, 3, 0x22)),
    ("mmap", (0, 1 << 30, 0, 0x4022)),
    ("mprotect", (0, 1, 3)),
    *(("madvise", (0, 1, advice)) for advice in (4, 8, 14)),
    *(("futex", (0, command)) for command in (0, 1, 9, 10, 128, 129, 0x189)),
]
NOT = [
    *(("read", (descriptor,)) for descriptor in (1, 2, 3, 0xFFFFFFFF)),
    *(("write", (descriptor,)) for descriptor in (0, 2, 3)),
    ("mmap", (0, 4_096, 7, 0x22)),
    ("mmap", (0, 4_096, 5, 0x22)),
    ("mmap", (0, 4_096, 3, 2)),  # of a file
    ("mmap", (0, 4_096, 1, 1)),  # shared
    *(("mprotect", (0, 1, rights)) for rights in (4, 5, 7)),
    *(("madvise", (0, 1, advice)) for advice in (0, 12, 100, 101)),
    *(("futex", (0, command)) for command in (3, 4, 6, 11, 13, 128 | 6)),
]


@pytest.mark.parametrize(("name", "arguments"), PASSES)
def test_what_an_interpreter_needs_passes(name: str, arguments: tuple[int, ...], machine: Machine) -> None:
    numbers, _ = RESTRICTED[name]
    assert answer(program(machine, PROCESS), machine.audit, numbers[machine.column], arguments) == ALLOW


@pytest.mark.parametrize(("name", "arguments"), NOT)
def test_the_same_call_is_refused_with_other_arguments(name: str, arguments: tuple[int, ...], machine: Machine) -> None:
    numbers, _ = RESTRICTED[name]
    assert answer(program(machine, PROCESS), machine.audit, numbers[machine.column], arguments) == REFUSE


def test_a_process_may_abort_itself_and_nobody_else(machine: Machine) -> None:
    code, number = program(machine, PROCESS), TGKILL[machine.column]
    assert answer(code, machine.audit, number, (PROCESS, 5, 6)) == ALLOW
    for arguments in ((PROCESS, 5, 9), (PROCESS, 5, 0), (PROCESS + 1, 5, 6), (1, 1, 6)):
        assert answer(code, machine.audit, number, arguments) == REFUSE


def test_no_call_that_takes_a_path_is_only_refused() -> None:
    """A refusal looks like a file that is not there, and the evaluator would make an answer of that."""
    paths = {"open", "openat", "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "readlink", "readlinkat"}
    assert not paths & (REFUSED.keys() | ALLOWED.keys() | RESTRICTED.keys())


HEADERS = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "/usr/include/asm/unistd_64.h"),
    "aarch64": ("/usr/include/asm-generic/unistd.h",),
}


@pytest.mark.parametrize("name", HEADERS)
def test_the_numbers_are_those_of_the_kernel(name: str) -> None:
    header = next((path for path in HEADERS[name] if Path(path).exists()), None)
    if header is None:
        pytest.skip("no kernel headers here")
    known = _numbers(Path(header).read_text())
    column = MACHINES[name].column
    tables = [ALLOWED, REFUSED, {call: numbers for call, (numbers, _) in RESTRICTED.items()}]
    own = {call: numbers for table in tables for call, numbers in table.items()}
    for call, numbers in {**own, "tgkill": TGKILL, "seccomp": SECCOMP, "capset": CAPSET}.items():
        assert numbers[column] in (known.get(call), known.get(f"3264_{call}")), call


def _numbers(header: str) -> dict[str, int]:
    return {call: int(n) for call, n in re.findall(r"#define __NR_?((?:3264_)?\w+)\s+(\d+)", header)}


def test_the_headers_say_which_number_a_machine_has() -> None:
    assert _numbers("#define __NR_read 63\n#define __NR3264_lseek 62\n") == {"read": 63, "3264_lseek": 62}
