"""What a step may touch at all: weight and JSON files of the checkpoint, and the helper files that belong to them.

A repair makes no other steps; a record that names anything else was not made by one, whoever signed it.
"""

from __future__ import annotations

from loadproof.formats.sniff import claims_weights
from loadproof.records.names import PREFIX
from loadproof.repair.draft import ASIDE
from loadproof.repair.steps import Cut, Grow, Move, Patch, Rewrite, Step, Swap, beside
from loadproof.storage import why_unsafe


def why_forbidden(step: Step, number: int) -> str | None:
    """The reason why no repair of this number can have made such a step, None where it can."""
    return _why_not_there(step, number) or (None if _is_sound(step) else "it holds numbers that no repair writes")


def _is_sound(step: Step) -> bool:
    """Sizes that a file can have, and headers that fit each other."""
    match step:
        case Patch(_, sizes, old, new):
            return bool(sizes) and min(sizes) >= len(old) == len(new) > 1
        case Grow(_, size, old, new):
            return size >= len(old) > 8 < len(new)
        case Cut(_, size, tail):
            return size >= 0 < len(tail)
        case _:
            return True


def _why_not_there(step: Step, number: int) -> str | None:
    match step:
        case Patch(file) | Grow(file):
            return _why_not(file, (".safetensors",))
        case Rewrite(file):
            return _why_not(file, (".json",))
        case Cut(file):
            return _why_not(file)
        case Swap(file, fresh, kept):
            helpers = {beside(file, f"fresh{number}"), beside(file, f"kept{number}")}
            return _why_not(file, (".safetensors",)) or (None if {fresh, kept} == helpers else _other(fresh, kept))
        case Move(source, target):
            return _why_no_move(source, target, number)


def _why_no_move(source: str, target: str, number: int) -> str | None:
    """A file is set aside, or a prepared one gets its name; or the way back."""
    for one, other in ((source, target), (target, source)):
        if other == one + ASIDE or other == beside(one, f"fresh{number}"):
            return _why_not(one)
    return _other(source, target)


def _why_not(file: str, endings: tuple[str, ...] = ()) -> str | None:
    if why_unsafe(file) is not None:
        return f"it names a file outside the folder: {file!r}"
    if any(part.startswith(".") for part in file.split("/")):
        return f"it names a hidden file: {file!r}"
    name = file.rpartition("/")[2]
    fits = name.endswith(endings) if endings else name.endswith(".json") or claims_weights(name)
    return None if fits else f"it names a file that no repair touches: {file!r}"


def _other(*names: str) -> str:
    return f"it names files that no repair touches: {', '.join(map(repr, names))}"


def is_helper(name: str) -> bool:
    """A file that a repair put beside the checkpoint."""
    return name.rpartition("/")[2].startswith(PREFIX)
