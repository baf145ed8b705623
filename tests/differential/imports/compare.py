"""Both answers about a folder of remote code: ours and the real library's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from loadproof.formats import checkpoint_at
from loadproof.interpret import expect
from tests.differential.imports.build import Case

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "library.py")


class Answers(NamedTuple):
    ours: str  # "loads", "raises" or "inconclusive"
    said: str
    real: str
    text: str

    @property
    def is_wrong(self) -> bool:
        """Whether we say for certain what is not so; another exception than the library's counts."""
        if self.ours == "inconclusive":
            return False
        return self.ours != self.real or self.said.split(":")[0] != self.text.split(":")[0]


def compare(cases: Mapping[str, Case], top: Path) -> dict[str, Answers]:
    """Both answers by the case's name."""
    folders = {case.write(top / name): name for name, case in cases.items()}
    real = library(list(folders))
    return {name: Answers(*ours(folder), *real[folder]) for folder, name in folders.items()}


def ours(folder: str) -> tuple[str, str]:
    found = expect(checkpoint_at(folder).config, folder, use_cache=False)
    if found.inconclusive:
        return "inconclusive", found.inconclusive
    return ("raises", found.raises) if found.raises else ("loads", "")


def library(folders: list[str]) -> dict[str, tuple[str, str]]:
    ended = subprocess.run([sys.executable, SCRIPT, *folders], capture_output=True, text=True, check=True)
    rows = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("[")]
    return {folder: (kind, text) for folder, kind, text in rows}
