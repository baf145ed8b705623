"""How a tensor was filled: with zeros, with ones, from a file, or otherwise. It says which parameters a load has reached."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol

from loadproof.interpret.language.values import Value

Fill = Literal["zero", "one", "file", "other"]


class Filled(Protocol):
    """What has a fill: a tensor."""

    fill: Fill


def fill_of_number(value: Value) -> Fill:
    """What a tensor is that holds this number everywhere."""
    if isinstance(value, (int, float)) and value in (0, 1):
        return "one" if value else "zero"
    return "other"


def common(parts: Iterable[Filled]) -> Fill:
    """The fill of a tensor that is put together of others."""
    words = {part.fill for part in parts}
    return words.pop() if len(words) == 1 else "other"
