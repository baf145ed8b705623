"""``loadproof mcp``."""

from __future__ import annotations

import os
from importlib import import_module

from loadproof.cli.options import Parser, parser_for
from loadproof.cli.output import failed

_DESCRIPTION = """\
Answer a coding assistant over the Model Context Protocol, on standard input and output: check, explain, plan, diff and rules as
tools. Nothing is ever changed. It needs the extra mcp: pip install "loadproof[mcp]"."""
_EPILOG = """\
for a client that is set up by a file:
  {"mcpServers": {"loadproof": {"command": "loadproof", "args": ["mcp"]}}}"""


def main(arguments: list[str]) -> int:
    """Serve until standard input ends; exit 0, 2 where the SDK is not installed."""
    options = parser(arguments).parse_args(arguments)
    if options.root is not None and not os.path.isdir(options.root):
        return failed(f"{options.root}: no such folder")
    try:
        # by name: integrations stand above the commands
        serve = import_module("loadproof.integrations.mcp").serve
    except ImportError as error:
        return failed(str(error))
    serve(options.root)
    return 0


def parser(arguments: list[str]) -> Parser:
    """The options of the command."""
    made = parser_for("mcp [options]", _DESCRIPTION, arguments, _EPILOG)
    made.add_argument("--root", metavar="DIR", help="answer for what lies below DIR only")
    return made
