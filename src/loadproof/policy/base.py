"""The policy for one target, as plain data."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from loadproof.core.policy import Setting
from loadproof.core.severity import Severity


class Policy(Struct, frozen=True):
    """What is to be read how, and what counts."""

    reader: str = "transformers"
    source: str | None = None
    class_name: str | None = None
    device: str | None = None
    follow_links: bool = True
    fail_on: str = "error"
    allow_inconclusive: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: dict[str, Severity] = {}
    baseline: str | None = None


_FIELDS = {"class": "class_name"}


def policy_of(settings: Mapping[str, Setting]) -> Policy:
    """The settled settings as a policy."""
    from msgspec import convert

    return convert({_FIELDS.get(name, name.replace("-", "_")): one.value for name, one in settings.items()}, Policy)
