"""What a training run, or another program, leaves in a folder in place of a checkpoint."""

from __future__ import annotations

from msgspec import Struct

from loadproof.core.tensors import Family

OF_ITS_OWN = "checkpoint of its own"  # the kind of one that lies whole in a folder below


class TrainingState(Struct, frozen=True):
    """One state: what wrote it, whether all of it is there, and the command that makes a checkpoint of it."""

    kind: str  # as a message names it: "torch distributed checkpoint"
    folder: str = ""  # in the checkpoint; empty: the checkpoint itself
    parts: int | None = None  # ranks or files that there should be, where that is known
    is_complete: bool | None = None  # None: names alone cannot tell
    absent: tuple[str, ...] = ()  # files that are not there
    command: str = ""  # what makes a checkpoint of it; {folder} is the checkpoint, OUT what is to be written
    families: tuple[Family, ...] = ()  # the tensors under the names that they have afterwards
    facts: tuple[str, ...] = ()  # further lines about it
    advice: str = ""  # the way out where there is no command
    key: str | None = None  # of a torch file: below which its tensors lie; empty: the outermost dict
    prefix: str = ""  # of a torch file: stands before every name, and goes
