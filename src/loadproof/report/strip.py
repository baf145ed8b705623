"""A layer plan as one letter a layer, and what the letters mean."""

from __future__ import annotations

from loadproof.config.plan.letters import legend, letter, letters

__all__ = ["legend", "letter", "letters"]
