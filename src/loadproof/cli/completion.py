"""``loadproof completion bash | zsh | fish``."""

from __future__ import annotations

from importlib import import_module

from loadproof.cli.options import Parser, parser_for
from loadproof.cli.streams import write

_SHELLS = ("bash", "zsh", "fish")
_DESCRIPTION = "Print a script that lets a shell complete commands, options and codes."
_EPILOG = """\
to have it in every shell:
  bash   echo 'eval "$(loadproof completion bash)"' >> ~/.bashrc
  zsh    loadproof completion zsh > a folder of $fpath, as _loadproof
  fish   loadproof completion fish > ~/.config/fish/completions/loadproof.fish"""


def main(arguments: list[str]) -> int:
    """Print the script; exit 0."""
    options = parser(arguments).parse_args(arguments)
    from loadproof.cli.main import COMMANDS
    from loadproof.cli.shells.describe import codes, described

    made = import_module(f"loadproof.cli.shells.{options.shell}")
    write(made.script(described(COMMANDS), codes()))
    return 0


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("completion SHELL", _DESCRIPTION, arguments, _EPILOG)
    made.add_argument("shell", metavar="SHELL", choices=_SHELLS, help=f"one of: {', '.join(_SHELLS)}")
    return made
