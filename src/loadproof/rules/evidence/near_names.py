"""Whether two names of equal depth may be one parameter in two releases: one part differs, and means the same."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from loadproof.lexicon.ends import EMBEDDINGS

_EQUAL = 0.8  # likeness of two words from which on they are spellings of one: embedding, embeddings
_STEM = 4  # letters of a shared beginning that make a word: embed, embeddings
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*|\d+")
_PLAIN = re.compile(r"[\w-]{1,60}")
_KINDS = frozenset(
    ("proj", "projection", "layer", "linear", "weight", "bias", "block")
)  # say nothing of which one it is
_NORM = re.compile(r"norm|(?:^|_)ln(?:_|$)")


def differing(have: str, want: str) -> tuple[str, str] | None:
    """The only part in which the two names differ, None where more do or none."""
    old, new = have.split("."), want.split(".")
    if len(old) != len(new):
        return None
    unlike = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    return unlike[0] if len(unlike) == 1 else None


def is_near(have: str, want: str) -> bool:
    """Whether one of the differing parts is a spelling of the other, or says more of the same.

    `q_norm` and `k_norm` are not: each says something that the other contradicts. Outside of layers a norm is the last
    one, and an embedding the input's, whatever it is called.
    """
    parts = differing(have, want)
    if parts is None or not all(map(_PLAIN.fullmatch, parts)):
        return False
    norms = [_NORM.search(part) is not None for part in parts]
    if "{}" not in have and (_same_role(*parts) or all(norms)):
        return True
    first, second = _words(parts[0]), _words(parts[1])
    shared = [word for word in first if any(_alike(word, other) for other in second)]
    left = [word for word in first if word not in shared and _tells(word)]
    right = [word for word in second if _tells(word) and not any(_alike(word, other) for other in first)]
    return any(map(_tells, shared)) and not (left and right) and norms[0] == norms[1]


def _tells(word: str) -> bool:
    return word not in _KINDS and not _NORM.search(word)


def _same_role(have: str, want: str) -> bool:
    return have in EMBEDDINGS and want in EMBEDDINGS


def _words(part: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(part)]


def _alike(one: str, other: str) -> bool:
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return (len(short) >= _STEM and long.startswith(short)) or _likeness(one, other) >= _EQUAL


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio() if min(len(one), len(other)) >= _STEM else 0.0
