"""The terms in which a layout writes its shapes, and what a stored shape says about their unknowns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from math import prod

from loadproof.core.tensors import Shape

Sizes = Mapping[str, int]  # O, I, E, b; and of a division by an unknown size ("I/g") how many parts there are
_FREE = frozenset("gnk")  # sizes of groups and blocks: only many modules together prove them (`common_sizes`)
# A declared size need not be a power of two; these are the ones that tools offer.
USUAL_SIZES = (128, 64, 32, 256, 16, 512, 1024, 8)


def solve(terms: str, shape: Shape, known: Sizes) -> dict[str, int] | None:
    """What is known once these terms stand for this shape; None where they contradict it."""
    wanted = _terms(terms)
    if len(wanted) != len(shape):
        return None
    sizes = dict(known)
    for (factors, divisor, text), size in zip(wanted, shape, strict=True):
        if not _meets(factors, divisor, text, size, sizes):
            return None
    return sizes


def shape_of(terms: str, sizes: Sizes) -> Shape | None:
    """The shape that these terms stand for; None where a size is not known. Here `g`, `n` and `k` are sizes."""
    found = []
    for factors, divisor, text in _terms(terms):
        names = [name for name in (*factors, divisor) if name and not name.isdigit()]
        if text == "*" or any(name not in sizes for name in names):
            return None
        value = {name: sizes[name] if name in sizes else int(name) for name in (*factors, divisor) if name}
        found.append(-(-prod(value[factor] for factor in factors) // value.get(divisor, 1)))
    return tuple(found)


def common_sizes(parts: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """The usual sizes of a group that cut every length into its number of parts, the most usual first."""
    pairs = set(parts)
    return tuple(size for size in USUAL_SIZES if all(fits(size, length, number) for length, number in pairs))


def fits(size: int, length: int, number: int) -> bool:
    """Whether groups of this size cut the length into that many; -1 is one group of all."""
    return number == 1 if size == -1 else size > 0 and -(-length // size) == number


def _meets(factors: tuple[str, ...], divisor: str, text: str, size: int, sizes: dict[str, int]) -> bool:
    if text == "*":
        return True
    unknown = [factor for factor in factors if not factor.isdigit() and factor not in sizes]
    if divisor in _FREE or len(unknown) > 1:
        length = sizes.get(factors[0], size) if len(factors) == 1 else size
        return sizes.setdefault(text, size) == size and 1 <= size <= length
    known = prod(int(factor) if factor.isdigit() else sizes[factor] for factor in factors if factor not in unknown)
    below = int(divisor or 1)
    if not unknown:
        return -(-known // below) == size
    if not known or size * below % known:
        return False
    sizes[unknown[0]] = size * below // known
    return True


@cache
def _terms(text: str) -> tuple[tuple[tuple[str, ...], str, str], ...]:
    """Of each dimension its factors, its divisor and itself."""
    found = []
    for term in filter(None, text.split(", ")):
        above, _, below = term.partition("/")
        found.append((tuple(above.split("*")) if above != "*" else (), below, term))
    return tuple(found)
