"""The few reversible changes of a folder that every repair is compiled to, and their inverses.

Names are relative to the folder. Each step holds all that is needed to go either way, so one record serves as journal
(roll back after a crash) and as undo record.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loadproof.records.names import PREFIX


class Patch(Struct, frozen=True, tag="patch"):
    """Overwrite a safetensors header in place. `old` and `new` have equal length and start at byte 8."""

    file: str
    sizes: tuple[int, ...]  # that the file may have meanwhile: one, or two where its tail is cut as well
    old: bytes
    new: bytes


class Grow(Struct, frozen=True, tag="grow"):
    """Give a safetensors file of `size` bytes a longer or shorter head (length prefix and header), in place.

    The file system inserts or takes out whole blocks at the front, so no tensor byte is copied.
    """

    file: str
    size: int  # before
    old: bytes
    new: bytes

    @property
    def room(self) -> int:
        """Bytes inserted (positive) or taken out (negative); a multiple of the block size."""
        return len(self.new) - len(self.old)


class Rewrite(Struct, frozen=True, tag="rewrite"):
    """Replace a small file as a whole; None stands for "no such file"."""

    file: str
    old: bytes | None
    new: bytes | None


class Cut(Struct, frozen=True, tag="cut"):
    """Take `tail` off the end of a file of `size + len(tail)` bytes, or (`restore`) put it back."""

    file: str
    size: int
    tail: bytes
    restore: bool = False


class Move(Struct, frozen=True, tag="move"):
    """Give a file another name that is free."""

    source: str
    target: str


class Swap(Struct, frozen=True, tag="swap"):
    """Put the prepared file `fresh` in the place of `file`, which stays under the name `kept`."""

    file: str
    fresh: str
    kept: str


Step = Patch | Grow | Rewrite | Cut | Move | Swap


def inverse(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps that lead back."""
    return tuple(map(_invert, reversed(steps)))


def _invert(step: Step) -> Step:
    match step:
        case Patch(file, sizes, old, new):
            return Patch(file, sizes, new, old)
        case Grow(file, size, old, new):
            return Grow(file, size + step.room, new, old)
        case Rewrite(file, old_text, new_text):
            return Rewrite(file, new_text, old_text)
        case Cut(file, size, tail, restore):
            return Cut(file, size, tail, not restore)
        case Move(source, target):
            return Move(target, source)
        case Swap(file, fresh, kept):
            return Swap(file, kept, fresh)


def names_in(step: Step) -> tuple[str, ...]:
    """Every file name that a step may touch."""
    match step:
        case Move(source, target):
            return source, target
        case Swap(file, fresh, kept):
            return file, fresh, kept
        case _:
            return (step.file,)


def beside(file: str, kind: str) -> str:
    """The name of a helper file next to `file`: ``sub/a.bin`` -> ``sub/.loadproof-a.bin.<kind>``.

    It is hidden and does not end like a weight file, so that readers which list the folder pass it by.
    """
    folder, slash, name = file.rpartition("/")
    return f"{folder}{slash}{PREFIX}{name}.{kind}"
