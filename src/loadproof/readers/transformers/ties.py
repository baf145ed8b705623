"""Which missing parameters a tie fills (modeling_utils.py:2539 of release 5.24)."""

from __future__ import annotations

from collections.abc import Sequence

from loadproof.core.boxes import subtract
from loadproof.core.families import split_name
from loadproof.core.tensors import Axes

Boxes = dict[str, list[Axes]]


def has(boxes: Boxes, name: str) -> bool:
    """Whether a name is in a set of families."""
    template, indices = split_name(name)
    return any(all(i in axis for i, axis in zip(indices, box, strict=True)) for box in boxes.get(template, ()))


def discard(boxes: Boxes, name: str) -> None:
    """Take one name out of a set of families."""
    template, indices = split_name(name)
    point = tuple((i,) for i in indices)
    boxes[template] = [rest for box in boxes.get(template, ()) for rest in subtract(box, point)]


def fill(missing: Boxes, ties: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Discard from `missing` what a tie fills; returns (filled, from). Ties are (target, source), in order.

    A tie works both ways: where only the target is stored, it fills the source. Where both are absent, a later tie of
    the same source may still have a stored target.
    """
    filled = []
    for i, (target, source) in enumerate(ties):
        no_source, no_target = has(missing, source), has(missing, target)
        if not no_target and not no_source:
            continue
        if no_source and not no_target:
            target, source = source, target
        elif no_source:
            other = next((t for t, s in ties[i + 1 :] if s == source and not has(missing, t)), None)
            if other is None:
                continue
            source = other
        discard(missing, target)
        filled.append((target, source))
    return tuple(filled)
