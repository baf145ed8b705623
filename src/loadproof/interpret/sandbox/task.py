"""What a child is asked to do."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from loadproof.core.device import DEFAULTS
from loadproof.core.expectation import Expectation
from loadproof.interpret.release.machine import NOT_KNOWN, Machine


class Task(msgspec.Struct, frozen=True):
    """`expectation` is what is known already: to be filled, or to be given symbols."""

    work: Literal["evaluate", "symbols", "adapter"]
    raw: Any  # config.json; of an adapter the question about it
    class_name: str | None
    expectation: Expectation
    machine: Machine = NOT_KNOWN
    devices: tuple[str, ...] = DEFAULTS
