"""What one witness says of a cause."""

from __future__ import annotations

from loadproof.core.severity import Confidence

Vote = tuple[str, Confidence, str, str]  # cause, confidence, name, what speaks for it
