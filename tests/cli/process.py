"""`loadproof` as users run it: a process of its own, with a clean environment and a cache of the test run."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
Result = subprocess.CompletedProcess[str]


@functools.cache
def cache_folder() -> str:
    """One cache folder for all runs of this test process, removed at its end."""
    folder = tempfile.mkdtemp(prefix="loadproof-test-cache-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def run(*arguments: str, cwd: Path = ROOT, text: str | None = None, **environment: str) -> Result:
    """Run the command line; `text` is its standard input, `environment` is added to the bare minimum."""
    keep = {key: os.environ[key] for key in ("PATH", "HOME", "TMPDIR", "LANG", "XDG_STATE_HOME") if key in os.environ}
    keep |= {"XDG_CACHE_HOME": cache_folder(), "COLUMNS": "100"}
    command = [sys.executable, "-m", "loadproof", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=keep | environment, input=text, capture_output=True, text=True, timeout=120
    )


def copy_of(example: str, folder: Path) -> Path:
    """A copy of a shipped example, to be changed."""
    return Path(shutil.copytree(EXAMPLES / example, folder / example))
