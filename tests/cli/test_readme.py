"""README.md shows what the commands really print."""

from __future__ import annotations

import subprocess
import sys

from tests.cli.process import ROOT


def test_the_output_in_the_readme_is_what_is_printed() -> None:
    command = [sys.executable, "docs/readme_blocks.py", "--check"]
    result = subprocess.run(command, cwd=ROOT, timeout=120, check=False)
    assert result.returncode == 0, "renew it with: python docs/readme_blocks.py"


def test_the_two_commands_for_a_fresh_machine_come_first() -> None:
    text = (ROOT / "README.md").read_text()
    assert text.index("make demo") < text.index("make test") < text.index("## ")
    makefile = (ROOT / "Makefile").read_text()
    assert "\ndemo:" in makefile
    assert "\ntest:" in makefile
