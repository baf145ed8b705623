"""The methods of a tensor that only change its sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.filling import fill_of_number
from loadproof.interpret.shapes.sizes import Sized, flat, product


class Reshaping(Sized):
    """`_of` makes a tensor of other sizes."""

    def _of(self, shape: Iterable[Value] | None) -> Sized:
        """A tensor of the same numbers, as far as it is known how it was filled."""
        raise NotImplementedError

    def _other(self, shape: Iterable[Value] | None) -> Sized:
        """A tensor of other numbers."""
        raise NotImplementedError

    def numel(self) -> Any:
        return product(self.known())

    nelement = numel

    def reshape(self, *dims: Any) -> Sized:
        shape = list(flat(dims))
        if -1 in shape:
            known = product(x for x in shape if x != -1)
            shape[shape.index(-1)] = self.numel() // known if known else 0
        return self._of(shape)

    view = reshape

    def unsqueeze(self, d: int) -> Sized:
        shape = list(self.known())
        shape.insert(d if d >= 0 else len(shape) + 1 + d, 1)
        return self._of(shape)

    def squeeze(self, d: int | None = None) -> Sized:
        shape = list(self.known())
        if d is None:
            return self._of([x for x in shape if x != 1])
        if shape[d] == 1:
            del shape[d]
        return self._of(shape)

    def transpose(self, dim0: int, dim1: int) -> Sized:
        shape = list(self.known())
        shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
        return self._of(shape)

    def permute(self, *dims: Any) -> Sized:
        order, shape = flat(dims), self.known()
        if len(order) != len(shape):
            raise certain(
                RuntimeError(
                    "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
                    f"ordering of dimensions i.e. input.dim() = {len(shape)} is not equal to len(dims) = {len(order)}"
                )
            )
        return self._of([shape[i] for i in order])

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Sized:
        shape = list(self.known())
        end = end_dim if end_dim >= 0 else len(shape) + end_dim
        start = start_dim if start_dim >= 0 else len(shape) + start_dim
        return self._of([*shape[:start], product(shape[start : end + 1]), *shape[end + 1 :]])

    def expand(self, *dims: Any) -> Sized:
        wanted = flat(dims)
        own = (1,) * (len(wanted) - len(self.known())) + tuple(self.known())
        return self._of([a if b == -1 else b for a, b in zip(own, wanted, strict=True)])

    def repeat(self, *dims: Any) -> Sized:
        times = flat(dims)
        own = (1,) * (len(times) - len(self.known())) + tuple(self.known())
        return self._of([a * b for a, b in zip(own, times, strict=True)])

    def sum(self, dim: Any = None, keepdim: bool = False, **_: object) -> Sized:
        if dim is None:
            return self._other(())
        shape = list(self.known())
        for i in sorted((x % len(shape) for x in ((dim,) if isinstance(dim, int) else dim)), reverse=True):
            if keepdim:
                shape[i] = 1
            else:
                del shape[i]
        return self._other(shape)

    mean = max = min = prod = any = all = std = var = amax = amin = sum

    def repeat_interleave(self, n: int, dim: int | None = None) -> Sized:
        if dim is None:
            return self._of((self.numel() * n,))
        shape = list(self.known())
        shape[dim] *= n
        return self._of(shape)

    def new_empty(self, *shape: Any, **_: object) -> Sized:
        return self._other(flat(shape))

    def new_zeros(self, *shape: Any, **_: object) -> Sized:
        made = self._other(flat(shape))
        made.fill = "zero"
        return made

    def new_ones(self, *shape: Any, **_: object) -> Sized:
        made = self._other(flat(shape))
        made.fill = "one"
        return made

    def new_full(self, shape: Any, value: Value = None, *_: object, **__: object) -> Sized:
        made = self._other(shape)
        made.fill = fill_of_number(value)
        return made

    def outer(self, other: Sized) -> Sized:
        return self._other((self.known()[0], other.known()[0]))

    def chunk(self, n: int, dim: int = 0) -> tuple[Sized, ...]:
        shape = list(self.known())
        limits.current().charge(min(n, shape[dim]), "chunk")
        size, left, parts = -(-shape[dim] // n), shape[dim], []
        while left > 0:
            parts.append(self._of(_with(shape, dim, min(size, left))))
            left -= size
        return tuple(parts)

    def split(self, sizes: Any, dim: int = 0) -> tuple[Sized, ...]:
        shape = list(self.known())
        n = shape[dim]
        if isinstance(sizes, int):
            limits.current().charge(n // sizes, "split")
            sizes = [sizes] * (n // sizes) + ([n % sizes] if n % sizes else [])
        parts = tuple(self._of(_with(shape, dim, k)) for k in sizes)
        at = 0
        for part, size in zip(parts, sizes, strict=True) if self.values is not None and len(shape) == 1 else ():
            part.values, at = self.values[at : at + size], at + size  # type: ignore[index]
        return parts

    def unbind(self, dim: int = 0) -> tuple[Sized, ...]:
        shape = list(self.known())
        n = shape.pop(dim)
        limits.current().charge(n, "unbind")
        return tuple(self._of(shape) for _ in range(n))


def _with(shape: list[int], dim: int, value: int) -> list[int]:
    out = list(shape)
    out[dim] = value
    return out
