"""How bad a finding is: one order, used by every stage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

Severity = Literal["error", "warning", "info"]
Confidence = Literal["certain", "likely", "possible"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)  # the worst first
NEVER = "never"  # a threshold that no finding reaches


def worst(severities: Iterable[Severity]) -> Severity:
    """The worst of them, "info" where there are none."""
    return min(severities, key=SEVERITIES.index, default="info")


def reaches(severity: Severity, threshold: str) -> bool:
    """Whether a finding is as bad as the threshold or worse (`NEVER`: no finding is)."""
    return threshold != NEVER and SEVERITIES.index(severity) <= SEVERITIES.index(threshold)
