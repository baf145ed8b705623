"""The first wall opened on purpose: an evaluator that runs what it reads, so that the second wall stands alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

import pytest

from loadproof.interpret.sandbox import parent

TESTS = Path(__file__).parents[2]


@contextmanager
def opened(module: str = "running") -> Iterator[None]:
    """Children of this block load a module of this folder before anything else: it changes what they do."""
    start = parent._START.replace("from loadproof", f"import tests.interpret.sandbox.{module}; from loadproof", 1)
    paths = [*parent._library_paths(), str(TESTS.parent)]
    with patch.object(parent, "_START", start), patch.object(parent, "_library_paths", lambda: paths):
        yield


@cache
def has_wall() -> bool:
    """Whether this machine has what the wall is made of."""
    with parent.Child(10) as child:
        process = child._process
        if process is None or process.stdout is None:
            return False
        return os.read(process.stdout.fileno(), 1) == b"W"


def require_wall() -> None:
    if not has_wall():
        pytest.skip("no filter of system calls on this machine")
