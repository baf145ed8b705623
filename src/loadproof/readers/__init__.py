"""Loading libraries, by name: a new one is its folder and its line in the table."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from msgspec.structs import replace

from loadproof.core.case import enter
from loadproof.core.checkpoint import Inventory
from loadproof.core.near import did_you_mean
from loadproof.core.reading import Reading
from loadproof.readers.base import Reader

READERS = {
    "transformers": ("loadproof.readers.transformers", "TransformersReader"),
    "peft": ("loadproof.readers.peft", "PeftReader"),
}  # imported when they are asked for


def get_reader(name: str) -> Reader:
    """The reader of that name. Raises `ValueError` naming the known ones."""
    if name not in READERS:
        raise ValueError(f"unknown reader {name!r}{did_you_mean(name, READERS)}; known: {', '.join(READERS)}")
    module, class_name = READERS[name]
    reader: Reader = getattr(import_module(module), class_name)()
    return reader


def suited(inventory: Inventory, reading: Reading) -> Reading:
    """The reading with the library that opens such a folder, where the user named none: PEFT for an adapter."""
    from loadproof.readers.peft.select import is_adapter

    is_open = reading.reader == Reading().reader and reading.release is None
    return replace(reading, reader="peft") if is_open and is_adapter(inventory) else reading


for _name in READERS:
    enter(_name, partial(get_reader, _name))
