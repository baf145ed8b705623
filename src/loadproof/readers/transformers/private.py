"""The private part of this reader's expectations."""

from __future__ import annotations

from loadproof.core.expectation import Expectation
from loadproof.core.loading import Loading

_NOTHING = Loading()


def loading_of(expectation: Expectation) -> Loading:
    """How the class treats names; nothing special where that was not established."""
    return expectation.private or _NOTHING
