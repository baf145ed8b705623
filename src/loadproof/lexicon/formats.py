"""File formats that hold weights: what a name promises, and the one place where a format is entered.

A format that is read has a module in `formats/`, with `sniff` and `read` as `formats/base.py` describes them.
"""

from __future__ import annotations

from typing import NamedTuple


class WeightFormat(NamedTuple):
    """One format. Of those without a module the files are recognised and not read."""

    name: str  # the `FileInfo.kind` of its files, and what `Selection.format` begins with
    title: str  # as a message names it
    suffixes: tuple[str, ...]
    module: str = ""  # in `loadproof.formats`


SAFETENSORS = WeightFormat("safetensors", "safetensors", (".safetensors",), "safetensors")
FORMATS = (
    SAFETENSORS,
    WeightFormat("torch", "torch", (".bin", ".pt", ".pth", ".ckpt"), "torch"),  # torch.save
    WeightFormat("gguf", "GGUF", (".gguf",)),
    WeightFormat("dcp", "torch DCP", (".distcp",)),  # a rank's part of a distributed checkpoint of torch
)


def named(name: str) -> WeightFormat | None:
    """The format of that name, or of a way to lay several of its files out: ``torch``, ``torch-sharded``."""
    return next((one for one in FORMATS if one.name == name.partition("-")[0]), None)


def promised(file: str) -> WeightFormat | None:
    """The format that the name of a file promises."""
    return next((one for one in FORMATS if file.lower().endswith(one.suffixes)), None)
