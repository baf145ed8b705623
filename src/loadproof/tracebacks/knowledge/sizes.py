"""What a difference of two sizes leads to, as data (`sizes.json`). The kinds are those of `shapes.judge`."""

from __future__ import annotations

from functools import cache

from msgspec import Struct, json

from loadproof.tracebacks.base import Ranked
from loadproof.tracebacks.knowledge import FOLDER


class Sizes(Struct, frozen=True, forbid_unknown_fields=True):
    kinds: dict[str, tuple[Ranked, ...]]  # causes in rank order
    vague: tuple[str, ...]  # kinds that one tensor alone does not prove: others have to show the same


@cache
def sizes() -> Sizes:
    return json.decode((FOLDER / "sizes.json").read_bytes(), type=Sizes)
