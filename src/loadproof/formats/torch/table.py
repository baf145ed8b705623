"""What a torch file holds: its tensors by path, the kinds of its other values, and what its pickle asks for."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from loadproof.formats.pickled.machine import Beyond
from loadproof.formats.pickled.values import Value
from loadproof.formats.torch.tensors import Tensor

Form = Literal["zip", "legacy", "tar", "pickle", "other"]
Path = tuple[Value, ...]  # keys of dicts and numbers of lists, from the outermost value


class Stored(Struct, eq=False, gc=False):
    """One tensor and where its storage lies, in bytes of the file; -1 where it is not there."""

    path: Path
    tensor: Tensor
    begin: int = -1
    end: int = -1
    is_packed: bool = False  # its bytes in the file are compressed


class TorchFile(Struct, eq=False):
    """One file. `root` is None where the pickle could not be read to its end."""

    form: Form
    root: Value = None
    is_read: bool = False
    stored: list[Stored] = []
    calls: dict[str, int] = {}  # functions that it calls and that rebuild no tensor -> offset in the pickle
    objects: dict[str, int] = {}  # classes of objects that are none of torch's -> offset
    beyond: Beyond | None = None  # what weights_only refuses first
    left_over: int = 0
    end: int = 0  # of the pickle, in its own data
