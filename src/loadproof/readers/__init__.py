"""Loading libraries, by name."""

from __future__ import annotations

from functools import partial

from loadproof.core.case import enter
from loadproof.readers.base import Reader

NAMES = ("transformers",)


def get_reader(name: str) -> Reader:
    """The reader of that name. Raises `ValueError` naming the known ones."""
    if name == "transformers":
        from loadproof.readers.transformers import TransformersReader

        return TransformersReader()
    raise ValueError(f"unknown reader {name!r}; known: {', '.join(NAMES)}")


for _name in NAMES:
    enter(_name, partial(get_reader, _name))
