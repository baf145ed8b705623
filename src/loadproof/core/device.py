"""The machine that a checkpoint is loaded on, as far as a loading library asks: some quantizers decide by it."""

from __future__ import annotations

import re

from msgspec import Struct

KINDS = ("cpu", "cuda", "mps", "xpu", "npu", "hpu")
DEFAULTS: tuple[str, ...] = ("cpu", "cuda")  # judged for both where nobody says which
_TEXT = re.compile(r"(\w+?)(?::(\d{1,2})\.(\d))?")


class Device(Struct, frozen=True):
    """`capability` is the compute capability of a CUDA device: 8.9 for an L4, 9.0 for an H100."""

    kind: str = "cpu"
    capability: tuple[int, int] = (9, 0)


def device_of(text: str) -> Device:
    """The device of ``cpu``, ``cuda``, ``cuda:8.9``, ``mps``, ... Raises ValueError for any other word."""
    found = _TEXT.fullmatch(text)
    if found is None or found[1] not in KINDS or (found[2] and found[1] != "cuda"):
        raise ValueError(
            f"unknown device {text!r}: give one of {', '.join(KINDS)}, or cuda:8.9 for a compute capability"
        )
    return Device(found[1], (int(found[2]), int(found[3]))) if found[2] else Device(found[1])
