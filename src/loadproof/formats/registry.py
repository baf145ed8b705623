"""Formats by name, imported when a file asks for them. The table stands in `lexicon/formats.py`."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from loadproof.formats import safetensors, sniff
from loadproof.formats.base import Format, TensorFile
from loadproof.lexicon.formats import SAFETENSORS, WeightFormat, named, promised
from loadproof.storage.base import Ranged


def reader_of(form: WeightFormat | None) -> Format | None:
    """What reads files of this format; None where they are only recognised."""
    if form is SAFETENSORS:
        return safetensors
    if form is None or not form.module:
        return None
    return cast(Format, import_module(f"loadproof.formats.{form.module}"))


def kind_of(head: bytes, size: int, file: str) -> str:
    """A `FileInfo.kind` from the first `sniff.HEAD` bytes: what the name promises, where they keep it."""
    form = promised(file)
    reader = reader_of(form)
    if form is not None and reader is not None and size and reader.sniff(head):
        return form.name
    return sniff.kind_of(head, size, file)


def read_tensors(opened: Ranged, file: str) -> TensorFile | None:
    """What a file holds, as its name promises (safetensors where it promises nothing); None where such files are not read."""
    reader = reader_of(promised(file) or SAFETENSORS)
    return None if reader is None else reader.read(opened, file, opened.read(0, sniff.HEAD))


def opened_as(file: str, way: str) -> WeightFormat | None:
    """The format as which a file is opened that is selected in this way (`Selection.format`).

    What is called safetensors is opened so whatever the others are, as every loading library does.
    """
    if way.startswith(SAFETENSORS.name) or file.endswith(SAFETENSORS.suffixes):
        return SAFETENSORS
    return promised(file) or named(way)
