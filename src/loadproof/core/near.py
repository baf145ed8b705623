"""What somebody may have meant who typed a word that is not known."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """``; did you mean 'check'?`` where a known word is near, else `otherwise`."""
    from difflib import get_close_matches  # seldom needed, and slow to import

    spelled = {one.lower().replace("_", "-"): one for one in known}
    close = get_close_matches(word.lower().replace("_", "-"), spelled, n=1)
    return f"; did you mean '{spelled[close[0]]}'?" if close else otherwise
