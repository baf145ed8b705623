"""Where a fact stands: a file and a line, a byte, a tensor, or what no file holds."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from loadproof.core.families import show
from loadproof.core.tensors import Axes


class Place(Struct, frozen=True):
    """A place as a value; `str` of it is the one way to show it (``config.json:37``, ``a and 6 more``)."""

    file: str = ""  # relative to the folder, or a file of the model source
    line: int | None = None  # 1-based
    tensor: str = ""
    offset: int | None = None  # bytes from the start of the file
    also: tuple[str, ...] = ()  # further files that are shown
    more: int = 0  # further files that are only counted
    subject: str = ""  # what is no place in a file: "tensors", "folder", a class, "error text"

    def __str__(self) -> str:
        if self.line is not None:
            return f"{self.file}:{self.line}"
        if self.offset is not None:
            return f"{self.file}, byte {self.offset:,}"
        if not self.file:
            return self.subject or self.tensor
        return ", ".join((self.file, *self.also)) + (f" and {self.more} more" if self.more else "")

    @property
    def sole_file(self) -> str:
        """The file, where it is one; empty for several and for none."""
        return "" if self.also or self.more else self.file

    @property
    def without_line(self) -> Place:
        """The same place after lines were put before it."""
        return Place(self.file, None, self.tensor, self.offset, self.also, self.more, self.subject)


NOWHERE = Place()


def about(subject: str) -> Place:
    """What is no place in a file, by its name."""
    return Place(subject=subject)


def in_files(files: Sequence[str], shown: int = 1) -> Place:
    """The first of these files by name, the rest counted."""
    if not files:
        return about("the file")
    return Place(files[0], also=tuple(files[1:shown]), more=max(0, len(files) - shown))


def tensors_at(template: str, axes: Axes) -> Place:
    """A family of tensors."""
    return Place(tensor=show(template, axes))


def source_line(text: str) -> Place:
    """``modeling_x.py:873``, as an expectation cites the model source, as a value."""
    file, colon, line = text.rpartition(":")
    return Place(file, int(line)) if colon and line.isdecimal() else Place(text)
