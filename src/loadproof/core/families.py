"""Names folded into families, and back, without loss.

A name is cut at its all-digit dot parts: ``model.layers.11.mlp.weight`` is the template ``model.layers.{}.mlp.weight``
with the index ``(11,)``. Names whose fold could not be undone exactly (leading zeros, literal braces) stay whole, and
so do names with more than 24 numbers, which no model has.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, product
from math import prod
from typing import Any, TypeVar

from loadproof.core.tensors import Axes

Key = TypeVar("Key", bound=Hashable)
_INDEX = re.compile(r"(?:(?<=\.)|(?<=\A))(0|[1-9][0-9]{0,8})(?=\.|\Z)")
_ZEROS = re.compile("0+")
_DIGITS_TO_ZERO = dict.fromkeys(range(ord("0"), ord("9") + 1), "0")
_MOST_COLUMNS = 24  # numbers in one name; a real one has three or four
HOLE = "{}"


def split_name(name: str) -> tuple[str, tuple[int, ...]]:
    """Template and indices of one name; ``("lm_head.weight", ())`` when there is nothing to fold."""
    pieces = _INDEX.split(name)
    if (
        len(pieces) == 1
        or "{" in name
        or "}" in name
        or len(_ZEROS.findall(name.translate(_DIGITS_TO_ZERO))) > _MOST_COLUMNS
    ):
        return name, ()
    return HOLE.join(pieces[::2]), tuple(map(int, pieces[1::2]))


def join_name(template: str, indices: tuple[int, ...]) -> str:
    """The one name of a template at these indices."""
    if not indices:
        return template
    pieces = template.split(HOLE)
    return pieces[0] + "".join(f"{index}{piece}" for index, piece in zip(indices, pieces[1:], strict=True))


def names_of(template: str, axes: Axes) -> Iterator[str]:
    """Every name of a family, in natural order."""
    return (join_name(template, indices) for indices in product(*axes))


def count(axes: Axes) -> int:
    """How many names a family stands for (1 without axes)."""
    return prod(map(len, axes))


def fold(items: Iterable[tuple[str, Key]]) -> list[tuple[str, Axes, Key]]:
    """Fold (name, key) pairs; names fold together only under equal keys. Families stand in order of appearance.

    The result is lossless: its families expand to exactly the given names, each once.
    """
    pairs = list(dict.fromkeys(items))
    folded: dict[tuple[str, Key, int], list[Axes]] = {}  # the name "a.{}" is not the template of "a.0"
    for (mask, key), members in group_by_mask([name for name, _ in pairs], (key for _, key in pairs)).items():
        for template, axes in fold_group(mask, members):
            folded.setdefault((template, key, len(axes)), []).append(axes)
    return [(template, axes, key) for (template, key, _), found in folded.items() for axes in union(found)]


def group_by_mask(names: Sequence[str], *keys: Iterable[Any]) -> dict[tuple[Any, ...], list[str]]:
    """Sort names by mask, the name with every digit written ``0``, and by their keys: (mask, key, ...) -> names.

    Names of one mask have their numbers in the same columns, so that a slice per name finds them. That is several
    times faster than one regex match per name.
    """
    masks = "\n".join(names).translate(_DIGITS_TO_ZERO).split("\n") if names else []
    if len(masks) != len(names):  # a line break within a name
        masks = list(map(mask_of, names))
    groups: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for name, group in zip(names, zip(masks, *keys, strict=True), strict=True):
        groups[group].append(name)
    return groups


def mask_of(name: str) -> str:
    """The name with every digit written ``0``."""
    return name.translate(_DIGITS_TO_ZERO)


def fold_group(mask: str, names: list[str]) -> Iterator[tuple[str, Axes]]:
    """Fold different names of one mask into disjoint products; one template may come several times (see `union`)."""
    columns = _columns(mask)
    if columns is None:
        yield from ((name, ()) for name in names)
        return
    found = [sorted({name[begin:end] for name in names}) for begin, end, _ in columns]
    products: Sequence[tuple[Sequence[str], ...]] = [tuple(found)]
    if prod(map(len, found)) != len(names):
        products = _cut({tuple([name[begin:end] for begin, end, _ in columns]) for name in names})
    for axes in products:
        choices = [_choices(values, is_index) for values, (_, _, is_index) in zip(axes, columns, strict=True)]
        for choice in product(*choices):
            yield _template(mask, columns, [text for text, _ in choice]), tuple(axis for _, axis in choice if axis)


def union(products: Sequence[Axes]) -> list[Axes]:
    """Unite products of one template into disjoint full products, the same ones as `as_products` of their members."""
    if len(products) == 1 or not products or not products[0]:
        return list(products[:1])
    if len(products[0]) == 1:
        return [(tuple(sorted({index for axes in products for index in axes[0]})),)]
    by_first: dict[int, list[Axes]] = {}
    for first_axis, *rest in products:
        for first in first_axis:
            by_first.setdefault(first, []).append(tuple(rest))
    united: dict[tuple[Axes, ...], tuple[Axes, ...]] = {}
    equal_rest: dict[tuple[Axes, ...], list[int]] = {}
    for first in sorted(by_first):
        parts = tuple(by_first[first])
        rests = united.get(parts) or united.setdefault(parts, tuple(union(parts)))
        equal_rest.setdefault(rests, []).append(first)
    return [(tuple(firsts), *rest) for rests, firsts in equal_rest.items() for rest in rests]


@lru_cache(maxsize=4096)
def _columns(mask: str) -> tuple[tuple[int, int, bool], ...] | None:
    """Begin and end of each number, and whether it is a dot part of its own, so that it may be an index.

    None for masks whose names stay whole.
    """
    if "{" in mask or "}" in mask:
        return None
    numbers = [match.span() for match in _ZEROS.finditer(mask)]
    columns = tuple((begin, end, _is_part(mask, begin, end)) for begin, end in numbers)
    return columns if len(columns) <= _MOST_COLUMNS else None


def _is_part(mask: str, begin: int, end: int) -> bool:
    return end - begin < 10 and mask[:begin][-1:] in ("", ".") and mask[end : end + 1] in ("", ".")


def _choices(values: Sequence[str], is_index: bool) -> list[tuple[str, tuple[int, ...]]]:
    """What may stand in one column: the hole with its indices, or a number that stays as it is written."""
    holes = [int(value) for value in values if is_index and (len(value) == 1 or value[0] != "0")]
    kept = [(value, ()) for value in values if not is_index or (len(value) > 1 and value[0] == "0")]
    return ([(HOLE, tuple(holes))] if holes else []) + kept


def _template(mask: str, columns: tuple[tuple[int, int, bool], ...], texts: list[str]) -> str:
    pieces, at = [], 0
    for (begin, end, _), text in zip(columns, texts, strict=True):
        pieces += [mask[at:begin], text]
        at = end
    return "".join(pieces) + mask[at:]


def as_products(indices: Iterable[tuple[int, ...]]) -> list[Axes]:
    """Cut a set of index tuples of one length into disjoint full products."""
    return _cut(set(indices))


def _cut(members: set[tuple[Any, ...]]) -> list[tuple[tuple[Any, ...], ...]]:
    """The same for indices of any ordered type."""
    if not members:
        return []
    width = len(next(iter(members)))
    if width == 0:
        return [()]
    axes = tuple(tuple(sorted({m[i] for m in members})) for i in range(width))
    if prod(map(len, axes)) == len(members):
        return [axes]
    by_first: dict[Any, set[tuple[Any, ...]]] = {}
    for member in members:
        by_first.setdefault(member[0], set()).add(member[1:])
    equal_rest: dict[tuple[Any, ...], list[Any]] = {}
    for first in sorted(by_first):
        equal_rest.setdefault(tuple(_cut(by_first[first])), []).append(first)
    return [(tuple(firsts), *rest) for rests, firsts in equal_rest.items() for rest in rests]


def show_axis(indices: tuple[int, ...], universe: tuple[int, ...] | None = None) -> str:
    """``0-2,5`` ; with a universe and few gaps ``all but 3,7``; regular steps ``3-47:4``."""
    if universe is not None and len(indices) > 2:
        gaps = sorted(set(universe) - set(indices))
        if 0 < len(gaps) <= 3 and len(indices) > 2 * len(gaps):
            return "all but " + ",".join(map(str, gaps))
    step = indices[1] - indices[0] if len(indices) > 3 else 1
    if step > 1 and all(b - a == step for a, b in pairwise(indices)):
        return f"{indices[0]}-{indices[-1]}:{step}"
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][1] + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def show(template: str, axes: Axes) -> str:
    """One line for a family: ``model.layers.{0-27}.mlp.up_proj.weight``; a single index is printed bare."""
    if not axes:
        return template
    pieces = template.split(HOLE)
    texts = [str(a[0]) if len(a) == 1 else "{" + show_axis(a) + "}" for a in axes]
    return pieces[0] + "".join(t + p for t, p in zip(texts, pieces[1:], strict=True))
