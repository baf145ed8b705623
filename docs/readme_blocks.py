#!/usr/bin/env python3
"""Keep the output shown in README.md true: run the commands and write what they print between the markers.

usage: python docs/readme_blocks.py [--check]      (exit 1 when --check finds a difference)
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCKS = {"demo": ["check", "examples/layer-plan-mismatch"]}


def block(name: str) -> str:
    """The output of a command as a fenced block between its markers."""
    command = [sys.executable, "-m", "loadproof", *BLOCKS[name]]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    return f"<!-- {name}:begin -->\n```\n{output}```\n<!-- {name}:end -->"


def renewed(text: str) -> str:
    """README.md with every block as the commands print it now."""
    for name in BLOCKS:
        text = re.sub(f"<!-- {name}:begin -->.*?<!-- {name}:end -->", lambda _, n=name: block(n), text, flags=re.DOTALL)
    return text


def main() -> int:
    path = ROOT / "README.md"
    before = path.read_text()
    after = renewed(before)
    if "--check" in sys.argv:
        return int(before != after)
    path.write_text(after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
