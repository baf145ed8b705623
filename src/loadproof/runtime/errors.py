"""Exceptions of the runtime side. Each says what was expected, what was found, and what to do."""

from __future__ import annotations

from typing import Any


class HeadFault(ValueError):  # noqa: N818 - it is a fault of the model, named so in messages and docs
    """The output head or input embedding cannot serve generate(). `findings` holds the LP9 findings."""

    def __init__(self, message: str, findings: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.findings = findings


class LayerPlanError(ValueError, KeyError):
    """The layer plan and the stored tensors disagree. Both a ValueError and a KeyError: loaders raise either."""

    def __init__(self, message: str, missing: tuple[int, ...] = ()) -> None:
        super().__init__(message)
        self.missing = missing

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0])


class LoadError(ValueError):
    """A checkpoint cannot be copied into a live model; raised before the first byte is copied."""
