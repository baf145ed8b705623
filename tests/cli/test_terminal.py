"""What a person at a terminal sees: colour, lines folded to the width, help drawn by rich."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

from tests.cli.process import ROOT, cache_folder, copy_of


def at_terminal(*arguments: str, columns: int = 80, **environment: str) -> str:
    """Everything that the command writes to a terminal of this width."""
    master, terminal = pty.openpty()
    subprocess.run(["stty", "cols", str(columns)], stdin=terminal, check=True)
    variables = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "XDG_CACHE_HOME": cache_folder()} | environment
    command = [sys.executable, "-m", "loadproof", *arguments]
    process = subprocess.Popen(command, cwd=ROOT, env=variables, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    seen = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    process.wait(timeout=60)
    os.close(master)
    return seen.decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


def test_a_report_is_coloured_and_folded() -> None:
    text = at_terminal("check", "examples/head-flattened")
    assert "\x1b[1;31merror[LP201]\x1b[0m" in text
    assert max(map(len, plain(text).splitlines())) <= 80


def test_an_explanation_and_a_page_are_folded() -> None:
    for what in ("KeyError: 'language_model.model.layers.20.linear_attn'", "LP301", "LP704"):
        text = plain(at_terminal("explain", what, columns=90))
        assert 80 < max(map(len, text.splitlines())) <= 90


def test_a_plan_of_repair_and_a_comparison_are_folded_but_not_the_lines_of_a_diff() -> None:
    fixing = plain(at_terminal("fix", "examples/layer-plan-mismatch", columns=60)).splitlines()
    assert max(len(line) for line in fixing if not line.startswith("      ") and "loadproof fix" not in line) <= 60
    comparing = plain(at_terminal("diff", "examples/layer-plan-mismatch", "examples/healthy", columns=60)).splitlines()
    assert 40 < max(len(line) for line in comparing if " " in line[9:]) <= 60


def test_no_color_is_respected_at_a_terminal() -> None:
    assert "\x1b[" not in at_terminal("check", "examples/healthy", NO_COLOR="1")
    assert "\x1b[" not in at_terminal("check", "examples/healthy", TERM="dumb")


def test_help_is_coloured_and_says_the_same_words() -> None:
    text = at_terminal("check", "--help", columns=100)
    assert "\x1b[" in text
    words = set(plain(text).lower().split())
    assert words == set((ROOT / "tests" / "cli" / "help" / "check.txt").read_text().lower().split())


def test_a_streaming_repair_leaves_no_trace_of_its_progress_bar(tmp_path: Path) -> None:
    folder = copy_of("wrapper-prefix", tmp_path)
    text = plain(at_terminal("fix", str(folder), "--out", str(tmp_path / "copy"), columns=200))
    assert "verdict  loads" in text.splitlines()[-1]
