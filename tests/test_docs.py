"""The picture of the rooms is that of the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_picture_of_the_rooms_is_that_of_the_imports() -> None:
    command = [sys.executable, "docs/rooms.py", "--check"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, f"renew it with: python docs/rooms.py\n{result.stderr}"


def test_every_room_has_its_line_in_the_table() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    folders = {path.name for path in (ROOT / "src" / "loadproof").iterdir() if (path / "__init__.py").exists()}
    assert {name for name in folders if f"| `{name}" not in page} == set()
