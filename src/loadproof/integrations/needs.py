"""What to say where the library that an integration plugs into is not installed."""

from __future__ import annotations


def missing(module: str, library: str, install: str) -> ImportError:
    """The error to raise, with the command that helps."""
    return ImportError(f"{module} needs {library}, which is not installed: {install}", name=library)
