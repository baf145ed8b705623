"""How bad a finding is: one order, used by every stage."""

from __future__ import annotations

from typing import Literal

Severity = Literal["error", "warning", "info"]
Confidence = Literal["certain", "likely", "possible"]
