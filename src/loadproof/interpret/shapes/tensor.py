"""Tensors that carry a shape and nothing else. A value read out of one is `Unknown`; it decides nothing."""

# ruff: noqa: ARG005 - the signatures are torch's
from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from operator import index
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import LimitReached, UnknownUsed, certain
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Open, Sealed
from loadproof.interpret.shapes import known_numbers


class DType(Sealed):
    """A dtype: a name that compares and prints. Widths are not modelled."""

    __visible__ = True

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(key)
        if key == "is_floating_point":
            return "float" in self._name
        return Unknown(f"{self._name}.{key}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DType) and other._name == self._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __call__(self, *_: object, **__: object) -> Any:
        return Unknown(self._name)


FLOAT32 = DType("float32")


class Device(Sealed):
    """Models are built on the meta device, as the library does while loading."""

    __visible__ = True

    def __init__(self, name: Any = "meta", index: Any = None) -> None:
        self.type, self.index = (name.split(":")[0] if isinstance(name, str) else "meta"), index

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"device(type='{self.type}')"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.type == self.type

    def __hash__(self) -> int:
        return hash(self.type)


META = Device()


def product(shape: Any) -> Any:
    result = 1
    for x in shape:
        result = result * x
    return result


LARGEST = 2**48  # elements along one dimension
_MOST_DIMENSIONS = 64  # torch allows no more


class Size(tuple[int, ...], Open):
    __direct__ = False

    def numel(self) -> Any:
        return product(self)


def flat(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """reshape(2, 3) and reshape((2, 3)) alike."""
    return tuple(args[0]) if len(args) == 1 and isinstance(args[0], (tuple, list)) else tuple(args)


def sizes(dims: Any, function: str = "empty") -> Size:
    """The sizes of a shape. Raises what torch raises for a float, a None or a negative number."""
    dims = list(dims)
    if len(dims) > _MOST_DIMENSIONS:
        raise LimitReached(f"a tensor of {len(dims):,} dimensions")
    made = Size(_dimension(x, at, function) for at, x in enumerate(dims))
    if any(x < 0 for x in made):
        raise certain(RuntimeError(f"Trying to create tensor with negative dimension {min(made)}: {list(made)}"))
    return made


def _dimension(x: Any, at: int, function: str) -> int:
    if isinstance(x, Tensor):
        x = x.number()
    if not isinstance(x, int):
        if isinstance(x, Unknown):
            raise UnknownUsed("a tensor's size depends on a value that is not known")
        raise certain(TypeError(f"{function}(): argument 'size' {_not_an_integer(type(x).__name__, at)}"))
    if x > LARGEST:
        raise LimitReached(f"a tensor dimension of more than 2^{LARGEST.bit_length() - 1}")
    return int(x) if isinstance(x, bool) else x


def _not_an_integer(kind: str, at: int) -> str:
    """The words of torch 2.13: it looks at the first size when it picks the overload, at the others when it unpacks them."""
    if at == 0:
        return f"(position 1) must be tuple of ints, but found element of type {kind} at pos 0"
    return f'failed to unpack the object at pos {at + 1} with error "type must be tuple of ints,but got {kind}"'


NO_NUMBER = Unknown("a number on the meta device")


class Tensor(Open):
    requires_grad: bool = False
    grad = None
    is_meta = True
    shape: Any
    source: tuple[str, int] = ("", 0)  # file and line that made a parameter or registered a buffer
    values: list[Any] | None = None  # of a short one-dimensional tensor whose numbers are known

    def __init__(self, shape: Any = (), *more: Any) -> None:
        if isinstance(shape, int):  # torch.Tensor(2, 3)
            shape = (shape, *more)
        if isinstance(shape, Tensor):
            shape = shape.shape
        self.shape = None if shape is None else sizes(shape)

    # ---- what is not a shape
    dtype: Any = property(lambda self: FLOAT32)
    device: Any = property(lambda self: META)

    @property
    def data(self) -> Any:
        return self

    @data.setter
    def data(self, value: Any) -> None:
        self.shape, self.values = value.shape if isinstance(value, Tensor) else None, None

    def item(self) -> Any:
        if self.values is not None and any(x is NO_NUMBER for x in self.values):
            raise certain(RuntimeError("Tensor.item() cannot be called on meta tensors"))
        return self.values[0] if self.values is not None and len(self.values) == 1 else Unknown("a tensor's value")

    def tolist(self) -> Any:
        if self.values is not None:
            return list(self.values) if self.shape else self.values[0]
        limits.current().charge(product(max(1, n) for n in self.known()), "list of tensor values")
        return _values(tuple(self.known()))

    def number(self) -> Any:
        """The one known number. Raises UnknownUsed when there is none, or more than one."""
        if self.values is None or len(self.values) != 1:
            raise UnknownUsed("a tensor's value decides something and is not known")
        return self.values[0]

    def __bool__(self) -> bool:
        return bool(self.number())

    def __int__(self) -> int:
        return int(self.number())

    def __float__(self) -> float:
        return float(self.number())

    def __index__(self) -> int:
        return index(self.number())

    def __contains__(self, value: object) -> bool:
        if self.values is None:
            raise UnknownUsed("a tensor's value decides something and is not known")
        return value in self.values

    def __hash__(self) -> int:
        return id(self)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(key)
        return Unknown("tensor." + key)

    # ---- size
    def known(self) -> Size:
        if self.shape is None:
            raise UnknownUsed("a tensor's shape is not known")
        shape: Size = self.shape
        return shape

    ndim: Any = property(lambda self: len(self.known()))
    T: Any = property(lambda self: Tensor(self.known()[::-1]))
    mT: Any = property(lambda self: self.transpose(-1, -2))  # noqa: N815 - torch's name

    def dim(self) -> int:
        return len(self.known())

    def size(self, d: Any = None) -> Any:
        return self.known() if d is None else self.known()[d]

    def numel(self) -> Any:
        return product(self.known())

    def __len__(self) -> int:
        return self.known()[0] if self.known() else 0

    def __iter__(self) -> Iterator[Any]:
        shape = self.known()
        limits.current().charge(shape[0], "tensor")
        parts = [Tensor(shape[1:]) for _ in range(shape[0])]
        for part, value in zip(parts, self.values or (), strict=False):
            part.values = [value]
        return iter(parts)

    def t(self) -> Tensor:
        return Tensor(self.known()[::-1])

    def numpy(self) -> Tensor:
        return self

    # ---- arithmetic
    def broadcast(self, other: Any, **_: object) -> Tensor:
        if isinstance(other, Unknown):
            return Tensor(None)
        b = other.shape if isinstance(other, Tensor) else ()
        if self.shape is None or b is None:
            return Tensor(None)
        n = max(len(self.shape), len(b))
        left, right = (1,) * (n - len(self.shape)) + tuple(self.shape), (1,) * (n - len(b)) + tuple(b)
        return Tensor(tuple(y if x == 1 else x for x, y in zip(left, right, strict=True)))

    add = mul = sub = div = broadcast

    def __matmul__(self, other: Any) -> Tensor:
        a, b = self.known(), other.known()
        return Tensor(tuple(a[:-1]) + tuple(b[1:]) if len(b) == 2 else None)

    # ---- indexing
    def __getitem__(self, index: Any) -> Tensor:
        if self.shape is None:
            return Tensor(None)
        if self.values is not None and isinstance(index, (int, slice)) and len(self.shape) == 1:
            return valued(self.values[index])
        return Tensor(_indexed(list(self.shape), index if isinstance(index, tuple) else (index,)))

    def __setitem__(self, key: Any, value: Any) -> None:
        self.values = None
        place = key if isinstance(key, tuple) else (key,)
        if self.shape is not None and isinstance(value, Tensor) and value.shape and all(map(_is_plain_index, place)):
            _check_fits(value.shape, _indexed(list(self.shape), place) or ())

    # ---- shape changes
    def reshape(self, *dims: Any) -> Tensor:
        shape = list(flat(dims))
        if -1 in shape:
            known = product(x for x in shape if x != -1)
            shape[shape.index(-1)] = self.numel() // known if known else 0
        return Tensor(shape)

    view = reshape

    def unsqueeze(self, d: int) -> Tensor:
        shape = list(self.known())
        shape.insert(d if d >= 0 else len(shape) + 1 + d, 1)
        return Tensor(shape)

    def squeeze(self, d: Any = None) -> Tensor:
        shape = list(self.known())
        if d is None:
            return Tensor([x for x in shape if x != 1])
        if shape[d] == 1:
            del shape[d]
        return Tensor(shape)

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        shape = list(self.known())
        shape[dim0], shape[dim1] = shape[dim1], shape[dim0]
        return Tensor(shape)

    def permute(self, *dims: Any) -> Tensor:
        return Tensor([self.known()[i] for i in flat(dims)])

    def flatten(self, start: int = 0, end: int = -1) -> Tensor:
        shape = list(self.known())
        end = end if end >= 0 else len(shape) + end
        return Tensor([*shape[:start], product(shape[start : end + 1]), *shape[end + 1 :]])

    def expand(self, *dims: Any) -> Tensor:
        wanted = flat(dims)
        own = (1,) * (len(wanted) - len(self.known())) + tuple(self.known())
        return Tensor([a if b == -1 else b for a, b in zip(own, wanted, strict=True)])

    def repeat(self, *dims: Any) -> Tensor:
        times = flat(dims)
        own = (1,) * (len(times) - len(self.known())) + tuple(self.known())
        return Tensor([a * b for a, b in zip(own, times, strict=True)])

    def sum(self, dim: Any = None, keepdim: Any = False, **_: object) -> Tensor:
        if dim is None:
            return Tensor(())
        shape = list(self.known())
        for i in sorted((x % len(shape) for x in ((dim,) if isinstance(dim, int) else dim)), reverse=True):
            if keepdim:
                shape[i] = 1
            else:
                del shape[i]
        return Tensor(shape)

    mean = max = min = prod = any = all = std = var = amax = amin = sum

    def repeat_interleave(self, n: int, dim: Any = None) -> Tensor:
        if dim is None:
            return Tensor((self.numel() * n,))
        shape = list(self.known())
        shape[dim] *= n
        return Tensor(shape)

    def new_zeros(self, *shape: Any, **_: object) -> Tensor:
        return Tensor(flat(shape))

    new_ones = new_empty = new_zeros

    def new_full(self, shape: Any, *_: object, **__: object) -> Tensor:
        return Tensor(shape)

    def outer(self, other: Tensor) -> Tensor:
        return Tensor((self.known()[0], other.known()[0]))

    def chunk(self, n: int, dim: int = 0) -> tuple[Tensor, ...]:
        shape = list(self.known())
        limits.current().charge(min(n, shape[dim]), "chunk")
        size, left, parts = -(-shape[dim] // n), shape[dim], []
        while left > 0:
            parts.append(Tensor(_with(shape, dim, min(size, left))))
            left -= size
        return tuple(parts)

    def split(self, sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
        shape = list(self.known())
        n = shape[dim]
        if isinstance(sizes, int):
            limits.current().charge(n // sizes, "split")
            sizes = [sizes] * (n // sizes) + ([n % sizes] if n % sizes else [])
        parts = tuple(Tensor(_with(shape, dim, k)) for k in sizes)
        at = 0
        for part, size in zip(parts, sizes, strict=True) if self.values is not None and len(shape) == 1 else ():
            part.values, at = self.values[at : at + size], at + size  # type: ignore[index]
        return parts

    def cumsum(self, *_: object, **__: object) -> Tensor:
        return Tensor(self.shape) if self.values is None else valued(list(accumulate(self.values)))

    def unbind(self, dim: int = 0) -> tuple[Tensor, ...]:
        shape = list(self.known())
        n = shape.pop(dim)
        limits.current().charge(n, "unbind")
        return tuple(Tensor(shape) for _ in range(n))


def _is_plain_index(x: Any) -> bool:
    if isinstance(x, slice):
        return all(part is None or isinstance(part, int) for part in (x.start, x.stop, x.step))
    return x is Ellipsis or (isinstance(x, int) and not isinstance(x, bool))


def _check_fits(shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Raise what torch raises when a tensor is stored where it cannot be expanded to."""
    for at in range(1, min(len(shape), len(target)) + 1):
        if shape[-at] not in (1, target[-at]):
            raise certain(
                RuntimeError(
                    f"The expanded size of the tensor ({target[-at]}) must match the existing size ({shape[-at]}) at "
                    f"non-singleton dimension {len(target) - at}.  Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
                )
            )


def _values(shape: tuple[int, ...]) -> Any:
    return [_values(shape[1:]) for _ in range(shape[0])] if shape else Unknown("a tensor's value")


def _with(shape: list[int], dim: int, value: int) -> list[int]:
    out = list(shape)
    out[dim] = value
    return out


def _indexed(shape: list[int], index: tuple[Any, ...]) -> tuple[int, ...] | None:
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
        elif isinstance(x, Tensor):
            out.extend(x.known())
        elif isinstance(x, list):
            out.append(len(x))
    return tuple(out) + tuple(shape[at:])


def _same(self: Tensor, *_: object, **__: object) -> Tensor:
    return Tensor(self.shape)


def _kept(self: Tensor, *_: object, **__: object) -> Tensor:
    made = Tensor(self.shape)
    made.values = self.values
    return made


def valued(numbers: Any) -> Tensor:
    """A tensor whose numbers are known: of one dimension for a list, of none for a single number."""
    made = Tensor((len(numbers),) if isinstance(numbers, list) else ())
    made.values = numbers if isinstance(numbers, list) else [numbers]
    return made


def _operation(name: str, swapped: bool = False) -> Any:
    def operate(self: Tensor, other: Any) -> Tensor:
        made = self.broadcast(other)
        made.values = known_numbers.results(name, self.values, other, swapped)
        return made

    return operate


def _in_place(self: Tensor, *_: object, **__: object) -> Tensor:
    self.values = None
    return self


_KEPT = "float double to clone detach contiguous cpu cuda"
_SAME = (
    "half long int bool type type_as abs sqrt exp log sin cos tanh sigmoid clamp masked_fill pow square tril triu "
    "floor "
    "ceil round neg rsqrt logical_not flip roll log2 trunc new_tensor __neg__ __pos__ __invert__ __abs__ "
    "scatter "
    "softmax bfloat16"
)
_IN_PLACE = (
    "requires_grad_ fill_ zero_ normal_ uniform_ copy_ masked_fill_ mul_ add_ sub_ div_ clamp_ trunc_normal_ exp_ log_ "
    "fill_diagonal_ erfinv_ scatter_ index_fill_ neg_ sqrt_ pow_"
)
for _names, _method in ((_KEPT, _kept), (_SAME, _same), (_IN_PLACE, _in_place)):
    for _name in _names.split():
        setattr(Tensor, _name, _method)
for _name in known_numbers.NAMES:
    _dunder = _name.rstrip("_")
    setattr(Tensor, f"__{_dunder}__", _operation(_name))
    if _name not in known_numbers.COMPARISONS:
        setattr(Tensor, f"__r{_dunder}__", _operation(_name, swapped=True))


class Parameter(Tensor):
    """`source` is the file and line being evaluated when it was made."""

    def __init__(self, data: Any = None, requires_grad: bool = True) -> None:
        budget = limits.current()
        budget.charge_tensor()
        self.source = budget.place
        self.requires_grad = requires_grad
        if data is None:
            self.shape = Size((0,))
        else:
            self.shape = data.shape if isinstance(data, Tensor) else None


class Buffer(Tensor):
    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        self.shape = data.shape if isinstance(data, Tensor) else None
        self.source = limits.current().place
        self.persistent = persistent


def shape_of(value: Any) -> Any:
    """Shape of nested lists, a tensor or a number; None when it holds something unknown in its structure."""
    if isinstance(value, Tensor):
        return value.shape
    if isinstance(value, Unknown) and value._name != "a tensor's value":
        return None
    if isinstance(value, (list, tuple)):
        inner = shape_of(value[0]) if len(value) else ()
        return None if inner is None else (len(value), *inner)
    return ()
