"""The few calls of the Linux kernel that Python has no function for."""

from __future__ import annotations

import ctypes
import os
import struct

from loadproof.interpret.sandbox.system_calls import CAPSET, SECCOMP, Instruction, Machine

# linux/prctl.h
PDEATHSIG, DUMPABLE, _SECCOMP, NO_NEW_PRIVS = 1, 4, 22, 38
_CREATE_RULESET, _RESTRICT_SELF = 444, 446  # of Landlock, the same on every machine
_VERSION_FLAG = 1
_CAPABILITY_VERSION_3 = 0x20080522
_SET_MODE_FILTER, _ALL_THREADS = 1, 1
# linux/landlock.h: rights on files by the version that knows them: version 1, REFER, TRUNCATE, IOCTL_DEV, RESOLVE_UNIX.
_FILE_RIGHTS = ((1, (1 << 13) - 1), (2, 1 << 13), (3, 1 << 14), (5, 1 << 15), (9, 1 << 16))
_NETWORK_RIGHTS = ((4, 0b11), (10, 0b1100))  # TCP, then UDP
_SIGNALS_AND_SOCKETS = 6  # the version that has scopes


class _Line(ctypes.Structure):
    _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte), ("k", ctypes.c_uint32)]


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filters", ctypes.POINTER(_Line))]


class Kernel:
    """System calls of this process by way of the C library."""

    def __init__(self, machine: Machine) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._libc.syscall.restype = ctypes.c_long
        self._machine = machine

    def set(self, option: int, value: int) -> bool:
        """`prctl`."""
        return self._prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(0))

    def drop_capabilities(self) -> bool:
        """No capability is effective, permitted or inheritable any longer."""
        head = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
        return self._call(CAPSET[self._machine.column], head, bytes(24)) == 0

    def forbid_paths(self) -> int:
        """Landlock with no rule: whatever its version knows is forbidden. That version, 0 where there is none."""
        version = self._call(_CREATE_RULESET, None, ctypes.c_ulong(0), ctypes.c_ulong(_VERSION_FLAG))
        if version < 1:
            return 0
        files = sum(bits for since, bits in _FILE_RIGHTS if version >= since)
        network = sum(bits for since, bits in _NETWORK_RIGHTS if version >= since)
        # Some kernels of RHEL 9 say version 6 and lack the scope of signals: they refuse what they do not know.
        for scopes in (0b11, 0b01, 0) if version >= _SIGNALS_AND_SOCKETS else (0,):
            size = 24 if version >= _SIGNALS_AND_SOCKETS else 16 if network else 8
            attributes = struct.pack("=QQQ", files, network, scopes)[:size]
            ruleset = self._call(_CREATE_RULESET, attributes, ctypes.c_ulong(size), ctypes.c_ulong(0))
            if ruleset >= 0:
                stands = self._call(_RESTRICT_SELF, ctypes.c_ulong(ruleset), ctypes.c_ulong(0)) == 0
                os.close(ruleset)
                return version if stands else 0
        return 0

    def filter_calls(self, code: list[Instruction]) -> bool:
        """Put the filter in force, for all threads where the kernel can."""
        lines = (_Line * len(code))(*(_Line(*line) for line in code))
        given = ctypes.byref(_Program(len(code), lines))
        number = SECCOMP[self._machine.column]
        if self._call(number, ctypes.c_ulong(_SET_MODE_FILTER), ctypes.c_ulong(_ALL_THREADS), given) == 0:
            return True
        return self._prctl(_SECCOMP, ctypes.c_ulong(2), given)

    def _prctl(self, option: int, value: object, more: object) -> bool:
        done: int = self._libc.prctl(option, value, more, ctypes.c_ulong(0), ctypes.c_ulong(0))
        return done == 0

    def _call(self, number: int, *arguments: object) -> int:
        """Variable arguments are words for the kernel: ctypes would pass a plain int as 32 bits."""
        result: int = self._libc.syscall(ctypes.c_ulong(number), *arguments)
        return result
