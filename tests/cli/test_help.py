"""The help of every command, word for word.

To agree to a change: ``COLUMNS=100 loadproof check --help > tests/cli/help/check.txt``
"""

from __future__ import annotations

import sys

import pytest

from loadproof.cli.main import COMMANDS
from tests.cli.process import ROOT, run

HELP = ROOT / "tests" / "cli" / "help"


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="argparse lays help out differently from 3.13 on")
def test_help_reads_as_agreed(command: str) -> None:
    result = run(*([command] if command else []), "--help")
    assert result.returncode == 0
    assert result.stderr == ""
    assert result.stdout == (HELP / f"{command or 'loadproof'}.txt").read_text()


def test_every_command_has_its_own_file_with_a_main() -> None:
    from importlib import import_module

    for command in COMMANDS:
        assert callable(import_module(f"loadproof.cli.{command}").main)


def test_version_is_one_line() -> None:
    from loadproof import __version__

    for switch in ("--version", "-V"):
        assert run(switch).stdout == f"loadproof {__version__}\n"


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("completion", "mcp")])
def test_help_names_the_exit_statuses(command: str) -> None:
    assert "exit status" in run(command, "--help").stdout.split("options:")[-1]
