"""How a checkpoint is to be read: what the user asked for, made once at the door and handed on whole."""

from __future__ import annotations

import os
from typing import TypedDict, Unpack

from msgspec import Struct

from loadproof.core.device import DEFAULTS, device_of


class Reading(Struct, frozen=True):
    """One loading library, its release and class, and how far it may be looked into."""

    reader: str = "transformers"
    release: str | None = None  # None: the one that is found
    class_name: str | None = None  # in place of the class that the config leads to
    source: str | None = None  # folder of the release's source, in place of the installed one
    names_only: bool = False  # an index stands for shards that are not there
    use_cache: bool = True
    follow_links: bool = True
    evaluate_code_without_wall: bool = False  # the user lets code of strangers be evaluated where there is no wall
    device: str | None = None  # the machine, as `core.device` spells it; None: a CPU, and a CUDA device
    base: str | None = None  # of an adapter: the folder of its base, in place of the one that it names

    @property
    def devices(self) -> tuple[str, ...]:
        """The machines to judge for."""
        return DEFAULTS if self.device is None else (self.device,)


class Told(TypedDict, total=False):
    """The keywords that are taken as they are; their meaning stands at `Reading`."""

    class_name: str | None
    source: str | None
    names_only: bool
    use_cache: bool
    follow_links: bool
    evaluate_code_without_wall: bool
    device: str | None


class Asked(Told, total=False):
    """The keywords with which `check` and the other use-cases ask for a reading."""

    reader: str  # NAME[@RELEASE]
    base: str | os.PathLike[str] | None


def asked_for(
    *, reader: str = "transformers", base: str | os.PathLike[str] | None = None, **told: Unpack[Told]
) -> Reading:
    """The reading for these keywords. Raises ValueError for an unknown device, TypeError for an unknown keyword."""
    name, _, release = reader.partition("@")
    if (device := told.get("device")) is not None:
        device_of(device)
    return Reading(name, release or None, base=None if base is None else os.fspath(base), **told)
