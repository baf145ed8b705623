"""Completion in real shells: what they offer for a line that is being typed."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from loadproof.cli.main import COMMANDS
from loadproof.cli.shells.describe import described
from tests.cli.process import run

SHELLS = ("bash", "zsh", "fish")
LINES = [  # what is typed, what must be offered, what must not
    ("loadproof che", {"check"}, {"plan"}),
    ("loadproof ", {"check", "explain", "completion", "mcp"}, {"--format"}),
    ("loadproof check --fo", {"--format"}, {"--from"}),
    ("loadproof check --format s", {"sarif"}, {"text"}),
    ("loadproof plan --format ", {"text", "markdown"}, {"sarif"}),
    ("loadproof check x --fail-on ", {"error", "never"}, set()),
    ("loadproof check --ignore layer-plan-m", {"layer-plan-mismatch"}, set()),
    ("loadproof explain LP30", {"LP301", "LP302"}, {"LP401"}),
    ("loadproof fix x LP301 --un", {"--unsafe"}, {"--apply"}),
    ("loadproof completion z", {"zsh"}, {"bash"}),
]


def need(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not installed")
    return found


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("scripts")
    for shell in SHELLS:
        done = run("completion", shell)
        assert (done.returncode, done.stderr) == (0, "")
        (folder / shell).write_text(done.stdout)
    return {shell: folder / shell for shell in SHELLS}


def in_bash(script: Path, line: str) -> set[str]:
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    text = f"source {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _loadproof; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return set(
        subprocess.run([need("bash"), "--norc", "-c", text], capture_output=True, text=True, check=True).stdout.split()
    )


def in_fish(script: Path, line: str) -> set[str]:
    text = f"source {script}; complete -C '{line}'"
    done = subprocess.run([need("fish"), "--no-config", "-c", text], capture_output=True, text=True, check=True)
    return {shown.split("\t")[0] for shown in done.stdout.splitlines()}


def in_zsh(script: Path, line: str, folder: Path) -> set[str]:
    """zsh completes at a terminal only: it gets one, and Tab."""
    start = (
        f"PS1='READY>'; autoload -U compinit; compinit -u -D; source {script}; bindkey '^I' expand-or-complete; "
        "setopt no_beep auto_list no_list_ambiguous; LISTMAX=1000; clear\n"
    )
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.environ.update({"TERM": "dumb", "COLUMNS": "400", "LINES": "200"})
        os.execv(need("zsh"), ["zsh", "-f", "-i"])
    try:
        os.write(terminal, start.encode())
        _until(terminal, r"READY>\s*$")
        os.write(terminal, f"{line}\t\t".encode())
        shown = _until(terminal, r"\Z.^", quiet=1.5)
    finally:
        os.close(terminal)
        os.kill(process, 9)
        os.waitpid(process, 0)
    return set(re.split(r"[\s\x07]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", shown)))


def _until(terminal: int, pattern: str, quiet: float = 15.0) -> str:
    """What the terminal shows until it ends with the pattern, or nothing more comes for a while."""
    shown, started = "", time.monotonic()
    while time.monotonic() - started < 20 and select.select([terminal], [], [], quiet)[0]:
        shown += os.read(terminal, 1 << 16).decode(errors="replace")
        if re.search(pattern, shown):
            break
    return shown


@pytest.mark.parametrize(("line", "offered", "absent"), LINES)
@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_a_shell_offers_what_fits(
    scripts: dict[str, Path], shell: str, line: str, offered: set[str], absent: set[str]
) -> None:
    got = {"bash": in_bash, "fish": in_fish}[shell](scripts[shell], line)
    assert offered <= got
    assert not absent & got


@pytest.mark.parametrize(("line", "offered", "absent"), [LINES[1], LINES[4], LINES[7]])
def test_zsh_offers_what_fits(
    scripts: dict[str, Path], tmp_path: Path, line: str, offered: set[str], absent: set[str]
) -> None:
    got = in_zsh(scripts["zsh"], line, tmp_path)
    assert offered <= got
    assert not absent & got


def test_zsh_completes_a_single_choice_in_the_line(scripts: dict[str, Path], tmp_path: Path) -> None:
    assert "sarif" in in_zsh(scripts["zsh"], "loadproof check --format s", tmp_path)
    assert "check" in in_zsh(scripts["zsh"], "loadproof che", tmp_path)


def test_where_a_path_stands_bash_is_left_to_offer_files(scripts: dict[str, Path]) -> None:
    for line in ("loadproof check ", "loadproof check --output ", "loadproof fix mo"):
        assert not {word for word in in_bash(scripts["bash"], line) if word.startswith("-")}


def test_every_option_of_every_command_is_in_every_script(scripts: dict[str, Path]) -> None:
    for shell, script in scripts.items():
        text = script.read_text()
        for command in described(COMMANDS):
            assert command.name in text
            for flag in (flag for option in command.options for flag in option.flags):
                assert (f"-l {flag[2:]} " if shell == "fish" and flag.startswith("--") else flag[-1:]) in text, (
                    shell,
                    flag,
                )


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_well_formed(scripts: dict[str, Path], shell: str) -> None:
    assert subprocess.run([need(shell), "-n", str(scripts[shell])], capture_output=True, text=True).stderr == ""


def test_an_unknown_shell_is_a_usage_error() -> None:
    result = run("completion", "powershell")
    assert result.returncode == 2
    assert "invalid choice: 'powershell'" in result.stderr
