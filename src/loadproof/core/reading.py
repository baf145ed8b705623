"""How a checkpoint is to be read: what the user asked for, made once at the door and handed on whole."""

from __future__ import annotations

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


def asked_for(
    reader: str,
    *,
    class_name: str | None = None,
    source: str | None = None,
    names_only: bool = False,
    use_cache: bool = True,
    follow_links: bool = True,
    evaluate_code_without_wall: bool = False,
    device: str | None = None,
    base: str | None = None,
) -> Reading:
    """The reading for ``NAME[@RELEASE]`` and the keywords of `check`. Raises ValueError for an unknown device."""
    if device is not None:
        device_of(device)
    name, _, release = reader.partition("@")
    without_wall = evaluate_code_without_wall
    return Reading(
        name, release or None, class_name, source, names_only, use_cache, follow_links, without_wall, device, base
    )
