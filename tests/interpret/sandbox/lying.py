"""Loaded by a child under test: the kernel says that it filters, and does nothing; the child believes it."""

from __future__ import annotations

from loadproof.interpret.sandbox import wall
from loadproof.interpret.sandbox.kernel import Kernel

Kernel.filter_calls = lambda *_: True  # type: ignore[method-assign]
wall._acts = lambda: True
