"""Tensors that carry a shape and nothing else. A value read out of one is `Unknown`; it decides nothing."""

# ruff: noqa: ARG005 - the signatures are torch's
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import accumulate
from operator import index
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import UnknownUsed, certain
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes import known_numbers
from loadproof.interpret.shapes.attribute_names import OF_TENSORS
from loadproof.interpret.shapes.dtypes import BOOL, CPU, FLOAT32, META, DType, promoted, width_of
from loadproof.interpret.shapes.filling import fill_of_number
from loadproof.interpret.shapes.indexing import check_fits, indexed, is_plain_index
from loadproof.interpret.shapes.reshaping import Reshaping
from loadproof.interpret.shapes.sizes import Size, product, sizes

NO_NUMBER = Unknown("a number on the meta device")


class Tensor(Reshaping):
    requires_grad: bool = False
    grad = None
    is_leaf = True
    origin: tuple[str, ...] = ()  # the stored tensors of which its numbers come
    ones: int | None = None  # of a mask: in how many places it is one, where that is known
    source: tuple[str, int] = ("", 0)  # file and line that made a parameter or registered a buffer
    own_dtype: DType | None = None  # None: the dtype in which the model is built

    def __init__(self, shape: Any = (), *more: Value) -> None:
        if isinstance(shape, int):  # torch.Tensor(2, 3)
            shape = (shape, *more)
        if isinstance(shape, Tensor):
            shape = shape.shape
        self.shape = None if shape is None else sizes(shape)

    def _of(self, shape: Iterable[Value] | None) -> Tensor:
        made = Tensor(shape)
        made.fill, made.origin, made.own_dtype = self.fill, self.origin, self.own_dtype
        return made

    def _other(self, shape: Iterable[Value] | None) -> Tensor:
        return typed_as(Tensor(shape), self.own_dtype)

    # ---- what is not a shape
    device: Value = property(lambda self: CPU if limits.current().on_cpu else META)
    is_meta: Value = property(lambda self: not limits.current().on_cpu)

    @property
    def dtype(self) -> DType:
        return self.own_dtype or limits.current().dtype or FLOAT32

    def is_floating_point(self) -> Value:
        return self.dtype.is_floating_point

    def element_size(self) -> int:
        return width_of(self.dtype)

    def to(self, *given: Value, **options: Value) -> Tensor:
        """A copy in the dtype that is given, or in that of a tensor that is given."""
        places = (*given, *options.values())
        dtype = next((x for x in places if isinstance(x, DType)), None)
        other = next((x for x in places if isinstance(x, Tensor)), None)
        made = _kept(self)
        made.own_dtype = dtype or (self if other is None else other).own_dtype
        return made

    def view(self, *dims: Any, dtype: DType | None = None) -> Tensor:
        """Other sizes; or the same bytes as numbers of another width, of which there are fewer or more in a row."""
        wanted = dims[0] if len(dims) == 1 and isinstance(dims[0], DType) else dtype
        if wanted is None:
            return self.reshape(*dims)  # type: ignore[return-value]
        shape, new = list(self.known()), width_of(wanted)
        if shape and new != self.element_size():
            if shape[-1] * self.element_size() % new:
                raise RuntimeError(
                    f"self.size(-1) must be divisible by {new // self.element_size()} to view as {wanted}"
                )
            shape[-1] = shape[-1] * self.element_size() // new
        return typed_as(Tensor(shape), wanted)

    @property
    def data(self) -> Value:
        return self

    @data.setter
    def data(self, value: Value) -> None:
        self.shape, self.values = value.shape if isinstance(value, Tensor) else None, None
        given = value if isinstance(value, Tensor) else Tensor()
        self.fill, self.origin, self.own_dtype = given.fill, given.origin, given.own_dtype

    def is_contiguous(self, *_: object, **__: object) -> bool:
        return True

    def data_ptr(self) -> int:
        return id(self)

    def item(self) -> Value:
        if self.values is not None and any(x is NO_NUMBER for x in self.values):
            raise certain(RuntimeError("Tensor.item() cannot be called on meta tensors"))
        return self.values[0] if self.values is not None and len(self.values) == 1 else Unknown("a tensor's value")

    def tolist(self) -> Value:
        if self.values is not None:
            return list(self.values) if self.shape else self.values[0]
        limits.current().charge(product(max(1, n) for n in self.known()), "list of tensor values")
        return _values(tuple(self.known()))

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

    def __getattr__(self, key: str) -> Value:
        if key.startswith("__"):
            raise AttributeError(key)
        if key not in OF_TENSORS:
            kind = "Parameter" if isinstance(self, Parameter) else "Tensor"
            raise AttributeError(f"'{kind}' object has no attribute '{key}'", name=key, obj=self)
        return Unknown("tensor." + key)

    ndim: Value = property(lambda self: len(self.known()))
    T: Value = property(lambda self: self.t())
    mT: Value = property(lambda self: self.transpose(-1, -2))  # noqa: N815 - torch's name

    def dim(self) -> int:
        return len(self.known())

    def size(self, d: Any = None) -> Any:
        return self.known() if d is None else self.known()[d]

    def __len__(self) -> int:
        return self.known()[0] if self.known() else 0

    def __iter__(self) -> Iterator[Value]:
        shape = self.known()
        limits.current().charge(shape[0], "tensor")
        parts = [self._of(shape[1:]) for _ in range(shape[0])]
        for part, value in zip(parts, self.values or (), strict=False):
            part.values = [value]
        return iter(parts)

    def t(self) -> Tensor:
        return self._of(self.known()[::-1])

    def numpy(self) -> Tensor:
        return self

    @staticmethod
    def _make_subclass(cls: Any, data: Value, requires_grad: bool = False) -> Tensor:
        """A parameter of an evaluated subclass, whose `__init__` is not run."""
        if not isinstance(cls, type) or not issubclass(cls, Parameter):
            raise UnknownUsed("Tensor._make_subclass() of what is no parameter")
        made = object.__new__(cls)
        Parameter.__init__(made, data, requires_grad)
        return made

    # ---- arithmetic
    def broadcast(self, other: Value, **_: object) -> Tensor:
        if isinstance(other, Unknown):
            return Tensor(None)
        b = other.shape if isinstance(other, Tensor) else ()
        if self.shape is None or b is None:
            return Tensor(None)
        n = max(len(self.shape), len(b))
        left, right = (1,) * (n - len(self.shape)) + tuple(self.shape), (1,) * (n - len(b)) + tuple(b)
        made = Tensor(tuple(y if x == 1 else x for x, y in zip(left, right, strict=True)))
        return typed_as(made, _dtype_with(self, other))

    add = mul = sub = div = broadcast

    def __matmul__(self, other: Any) -> Tensor:
        a, b = self.known(), other.known()
        return self._other(tuple(a[:-1]) + tuple(b[1:]) if len(b) == 2 else None)

    mm = matmul = __matmul__

    # ---- indexing
    def __getitem__(self, index: Any) -> Tensor:
        if self.shape is None:
            return Tensor(None)
        if self.values is not None and isinstance(index, (int, slice)) and len(self.shape) == 1:
            return typed_as(valued(self.values[index]), self.own_dtype)
        return self._of(indexed(list(self.shape), index if isinstance(index, tuple) else (index,)))

    def __setitem__(self, key: Value, value: Value) -> None:
        self.values, self.fill = None, "other"
        place = key if isinstance(key, tuple) else (key,)
        if self.shape is not None and isinstance(value, Tensor) and value.shape and all(map(is_plain_index, place)):
            check_fits(value.shape, indexed(list(self.shape), place) or ())

    def cumsum(self, *_: object, **__: object) -> Tensor:
        return Tensor(self.shape) if self.values is None else valued(list(accumulate(self.values)))


def _values(shape: tuple[int, ...]) -> Value:
    return [_values(shape[1:]) for _ in range(shape[0])] if shape else Unknown("a tensor's value")


def typed_as(made: Tensor, dtype: DType | None) -> Tensor:
    made.own_dtype = dtype
    return made


def _dtype_with(tensor: Tensor, other: Value) -> DType | None:
    """The dtype of arithmetic: a plain float makes integers the default float."""
    if isinstance(other, Tensor):
        return promoted(tensor.own_dtype, other.own_dtype)
    return None if isinstance(other, float) and not tensor.is_floating_point() else tensor.own_dtype


def _same(self: Tensor, *_: object, **__: object) -> Tensor:
    return self._other(self.shape)


def _kept(self: Tensor, *_: object, **__: object) -> Tensor:
    made = self._of(self.shape)
    made.values = self.values
    return made


def floating(function: Callable[..., Value]) -> Callable[..., Value]:
    """The function, whose result is of the default float where it would be of integers."""

    @wraps(function)
    def made(*args: Value, **options: Value) -> Value:
        found = function(*args, **options)
        whole = isinstance(found, Tensor) and not found.dtype.is_floating_point and not found.dtype.is_complex
        return typed_as(found, None) if whole and isinstance(found, Tensor) else found

    return made


def _cast(dtype: DType, keeps: bool) -> Value:
    def cast(self: Tensor, *_: object, **__: object) -> Tensor:
        return typed_as((_kept if keeps else _same)(self), dtype)

    return cast


def valued(numbers: Any) -> Tensor:
    """A tensor whose numbers are known: of one dimension for a list, of none for a single number."""
    made = Tensor((len(numbers),) if isinstance(numbers, list) else ())
    made.values = numbers if isinstance(numbers, list) else [numbers]
    return made


def _operation(name: str, swapped: bool = False) -> Value:
    def operate(self: Tensor, other: Value) -> Tensor:
        made = self.broadcast(other)
        made.values = known_numbers.results(name, self.values, other, swapped)
        made.ones = self.ones if name == "eq" and type(other) in (int, float, bool) and other == 1 else None
        if name == "truediv" and not made.dtype.is_floating_point:
            return typed_as(made, None)
        return typed_as(made, BOOL) if name.rstrip("_") in known_numbers.COMPARISONS else made

    return operate


def _in_place(self: Tensor, *_: object, **__: object) -> Tensor:
    self.values, self.fill, self.origin = None, "other", ()
    return self


def _filled_with(self: Tensor, value: Value = 0, *_: object) -> Tensor:
    self.values, self.fill, self.origin = None, fill_of_number(value), ()
    return self


def _copied(self: Tensor, other: Value, *_: object, **__: object) -> Tensor:
    given = other if isinstance(other, Tensor) else Tensor()
    self.values, self.fill, self.origin = None, given.fill, given.origin
    return self


def _as_it_is(self: Tensor, *_: object, **__: object) -> Tensor:
    return self


_KEPT = "clone detach contiguous cpu cuda pin_memory"
_SAME = (
    "abs sqrt exp log sin cos tanh sigmoid clamp masked_fill pow square tril triu "
    "floor "
    "ceil round neg rsqrt logical_not flip roll log2 trunc new_tensor __neg__ __pos__ __invert__ __abs__ "
    "scatter "
    "softmax exp2"
)
_CASTS = {
    "half": "float16",
    "bfloat16": "bfloat16",
    "float": "float32",
    "double": "float64",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "bool": "bool",
}
_IN_PLACE = (
    "normal_ uniform_ masked_fill_ mul_ add_ sub_ div_ clamp_ trunc_normal_ exp_ log_ "
    "fill_diagonal_ erfinv_ index_fill_ neg_ sqrt_ pow_"
)
_METHODS = (
    *((_KEPT, _kept), (_SAME, _same), (_IN_PLACE, _in_place), ("zero_ fill_", _filled_with), ("copy_", _copied)),
    ("requires_grad_ scatter_ index_copy_ index_copy", _as_it_is),
)
for _names, _method in _METHODS:
    for _name in _names.split():
        setattr(Tensor, _name, _method)
for _name in ("add", "sub", "mul", "truediv", "matmul"):
    setattr(Tensor, f"__i{_name}__", _in_place)
for _name, _dtype in _CASTS.items():
    setattr(Tensor, _name, _cast(DType(_dtype), keeps=_name in ("half", "bfloat16", "float", "double")))
for _name in ["exp", "sqrt", "log", "sin", "cos", "tanh", "sigmoid", "rsqrt", "log2", "exp2", "softmax"]:
    setattr(Tensor, _name, floating(_same))
Tensor.type = Tensor.type_as = Tensor.to  # type: ignore[attr-defined]
for _name in known_numbers.NAMES:
    _dunder = _name.rstrip("_")
    setattr(Tensor, f"__{_dunder}__", _operation(_name))
    if _name not in known_numbers.COMPARISONS:
        setattr(Tensor, f"__r{_dunder}__", _operation(_name, swapped=True))


class Parameter(Tensor):
    """`source` is the file and line being evaluated when it was made."""

    def __init__(self, data: Value = None, requires_grad: bool = True, **more: Value) -> None:
        if "shape" in self.__dict__:  # the `__new__` of a subclass has made it
            return
        if more:
            raise TypeError(f"Parameter.__new__() got an unexpected keyword argument '{next(iter(more))}'")
        budget = limits.current()
        budget.charge_tensor()
        self.source = budget.place
        self.requires_grad = requires_grad
        if data is None:
            self.shape = Size((0,))
        else:
            self.data = data


class Buffer(Tensor):
    def __init__(self, data: Value = None, *, persistent: bool = True) -> None:
        self.data = data
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
