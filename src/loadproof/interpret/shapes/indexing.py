"""The sizes that an index leaves."""

from __future__ import annotations

from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.sizes import Sized


def is_plain_index(x: Value) -> bool:
    if isinstance(x, slice):
        return all(part is None or isinstance(part, int) for part in (x.start, x.stop, x.step))
    return x is Ellipsis or (isinstance(x, int) and not isinstance(x, bool))


def check_fits(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Raise what torch raises when a tensor is stored where it cannot be expanded to."""
    for at in range(1, min(len(shape), len(target)) + 1):
        if shape[-at] not in (1, target[-at]):
            raise certain(
                RuntimeError(
                    f"The expanded size of the tensor ({target[-at]}) must match the existing size ({shape[-at]}) at "
                    f"non-singleton dimension {len(target) - at}.  Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
                )
            )


def indexed(shape: list[int], index: tuple[Value, ...]) -> tuple[int, ...] | None:
    dots = next((i for i, x in enumerate(index) if x is Ellipsis), None)
    if dots is not None:
        fill = len(shape) - sum(1 for x in index if x is not None and x is not Ellipsis)
        index = index[:dots] + (slice(None),) * fill + index[dots + 1 :]
    out: list[int] = []
    at = 0
    for x in index:
        if x is None:
            out.append(1)
            continue
        if isinstance(x, Unknown):
            return None
        size, at = shape[at], at + 1
        if isinstance(x, slice):
            out.append(len(range(*x.indices(size))))
        elif isinstance(x, Sized):
            out.extend(x.known())
        elif isinstance(x, list):
            out.append(len(x))
    return tuple(out) + tuple(shape[at:])
