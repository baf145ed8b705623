"""`itertools`, counted: each item is a step."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator

from loadproof.interpret.language import limits, operators
from loadproof.interpret.language.objects import Namespace
from loadproof.interpret.language.values import Names, Value


def counted(items: Iterable[Value]) -> Iterator[Value]:
    budget = limits.current()
    for item in items:
        budget.step()
        yield item


def _counting(function: Callable[..., Iterable[Value]]) -> Callable[..., Iterator[Value]]:
    return lambda *args, **kwargs: counted(function(*args, **kwargs))


def _product(*parts: Iterable[Value], repeat: int = 1) -> Iterator[Value]:
    limits.current().charge(len(parts) * max(0, repeat), "itertools.product")
    pools = [list(p) for p in parts] * repeat
    total = 1
    for pool in pools:
        total *= len(pool)
    limits.current().charge(total, "itertools.product")
    return counted(itertools.product(*pools))


ITERTOOLS: Names = {
    name: _counting(getattr(itertools, name))
    for name in [
        "accumulate",
        "count",
        "cycle",
        "islice",
        "repeat",
        "starmap",
        "takewhile",
        "dropwhile",
        "zip_longest",
        "pairwise",
        "compress",
        "filterfalse",
    ]
}
ITERTOOLS.update(
    product=_product,
    accumulate=lambda items, function=operators.add, **start: counted(itertools.accumulate(items, function, **start)),
    groupby=lambda items, key=None: ((k, list(g)) for k, g in itertools.groupby(counted(items), key)),
    combinations=_counting(itertools.combinations),
)


class _ChainNamespace(Namespace):
    __slots__ = ()

    def __call__(self, *parts: Iterable[Value]) -> Iterator[Value]:
        return counted(itertools.chain(*parts))


ITERTOOLS["chain"] = _ChainNamespace("itertools.chain", {"from_iterable": _counting(itertools.chain.from_iterable)})
