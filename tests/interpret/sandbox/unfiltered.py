"""Loaded by a child under test: the kernel has no filter of system calls."""

from __future__ import annotations

from loadproof.interpret.sandbox.kernel import Kernel

Kernel.filter_calls = lambda *_: False  # type: ignore[method-assign]
