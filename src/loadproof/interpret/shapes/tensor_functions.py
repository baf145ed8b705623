"""Functions of the `torch` namespace that make tensors or change shapes."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import partial, reduce, wraps
from typing import Any

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import certain
from loadproof.interpret.language.gate import guarded_type, own
from loadproof.interpret.language.objects import Unknown
from loadproof.interpret.language.values import Value, function_of
from loadproof.interpret.shapes.dtypes import BOOL, FLOAT32, INT64, DType, promoted
from loadproof.interpret.shapes.filling import Fill, common, fill_of_number
from loadproof.interpret.shapes.sizes import Size, flat, sizes
from loadproof.interpret.shapes.tensor import NO_NUMBER, Tensor, floating, shape_of, typed_as

_KEPT = 10_000


def factory(*shape: Value, function: str = "empty", **options: Value) -> Tensor:
    """zeros(2, 3), zeros((2, 3)), zeros(size=(2, 3))."""
    if len(shape) > 1 and not isinstance(shape[0], (int, Unknown, Tensor)):
        raise certain(TypeError(f"{function}() takes 1 positional argument but {len(shape)} were given"))
    dims = flat((options["size"],) if "size" in options else shape)
    if len(dims) == 1 and isinstance(dims[0], Tensor) and dims[0].values is None:
        return Tensor(None)
    return _typed(Tensor(sizes(dims, function)), options, _FILLS.get(function, "other"))


_FILLS: dict[str, Fill] = {"zeros": "zero", "ones": "one"}


def _typed(made: Tensor, options: dict[str, Any], fill: Fill) -> Tensor:
    made.fill = fill
    if isinstance(options.get("dtype"), DType):
        made.own_dtype = options["dtype"]
    return made


def _like(fill: Fill) -> Callable[..., Value]:
    """`zeros_like`, `ones_like`"""

    def make(tensor: Value, *_: Value, **options: Any) -> Value:
        made = elementwise(tensor)
        if isinstance(made, Tensor) and isinstance(tensor, Tensor):
            made.own_dtype = tensor.own_dtype
            _typed(made, options, fill)
        return made

    return make


def _count(span: Any) -> Any:
    return None if isinstance(span, (Unknown, Tensor)) else (max(0, math.ceil(span)),)


def arange(start: Any, end: Any = None, step: Any = 1, **_: object) -> Tensor:
    start, end = (0, start) if end is None else (start, end)
    whole = all(isinstance(x, int) for x in (start, end, step))
    return typed_as(Tensor(_count((end - start) / step)), INT64 if whole else None)


def linspace(start: Any, end: Any, steps: Any = 100, *, device: Any = None, **_: object) -> Tensor:
    """Its values are kept: releases read stochastic-depth rates out of it. On the meta device it has none."""
    made = Tensor((steps,))
    if device is None and limits.current().on_meta and steps <= _KEPT:
        made.values = [NO_NUMBER] * steps
    elif isinstance(start, (int, float)) and isinstance(end, (int, float)) and steps <= _KEPT:
        made.values = [_float32(start + (end - start) * i / max(1, steps - 1)) for i in range(steps)]
    return made


def _float32(x: float) -> float:
    return float(struct.unpack("f", struct.pack("f", x))[0])


def cat(tensors: Any, dim: int = 0, **options: Any) -> Tensor:
    """Raises what torch raises for tensors that do not fit together; one of shape (0,) fits everywhere."""
    given, dim = list(tensors), options.get("axis", dim)
    if any(not isinstance(t, Tensor) or t.shape is None for t in given):
        return Tensor(None)
    if not given:
        raise certain(RuntimeError("expected a non-empty list of Tensors"))
    parts = [t for t in given if tuple(t.shape) != (0,)] or given[:1]
    shape = list(parts[0].shape)
    for at, part in enumerate(parts[1:], 1):
        _check_joined(shape, part.shape, dim % len(shape), at)
    shape[dim] = sum(t.shape[dim] for t in parts)
    return _put_together(shape, given)


def _check_joined(first: Any, other: Any, dim: int, at: int) -> None:
    if len(first) != len(other):
        text = f"Tensors must have same number of dimensions: got {len(first)} and {len(other)}"
        raise certain(RuntimeError(text))
    for d, (x, y) in enumerate(zip(first, other, strict=True)):
        if d != dim and x != y:
            text = (
                f"Sizes of tensors must match except in dimension {dim}. Expected size {x} but got size {y} for tensor"
            )
            raise certain(RuntimeError(f"{text} number {at} in the list."))


def stack(tensors: Any, dim: int = 0, **_: object) -> Tensor:
    """Raises what torch raises for tensors of different sizes."""
    parts = list(tensors)
    if any(not isinstance(t, Tensor) or t.shape is None for t in parts):
        return Tensor(None)
    if not parts:
        raise certain(RuntimeError("stack expects a non-empty TensorList"))
    shape = list(parts[0].shape)
    for at, part in enumerate(parts):
        if list(part.shape) != shape:
            text = f"stack expects each tensor to be equal size, but got {shape} at entry 0 and {list(part.shape)} at entry {at}"
            raise certain(RuntimeError(text))
    shape.insert(dim if dim >= 0 else len(shape) + 1 + dim, len(parts))
    return _put_together(shape, parts)


def _put_together(shape: Any, parts: list[Any]) -> Tensor:
    made = typed_as(Tensor(shape), reduce(promoted, (t.own_dtype for t in parts)))
    made.fill, made.origin = common(parts), tuple(name for part in parts for name in part.origin)
    return made


def meshgrid(*tensors: Value, indexing: str = "ij", **_: object) -> tuple[Tensor, ...]:
    parts = flat(tensors)
    shape = [t.known()[0] if t.known() else 1 for t in parts]
    if indexing == "xy" and len(shape) > 1:
        shape[0], shape[1] = shape[1], shape[0]
    return tuple(Tensor(shape) for _ in parts)


def einsum(equation: str, *tensors: Any) -> Tensor:
    inputs, output = equation.replace(" ", "").split("->")
    sizes: dict[str, int] = {}
    for tensor, names in zip(tensors, inputs.split(","), strict=True):
        sizes.update(zip(names, tensor.known(), strict=True))
    return Tensor([sizes[c] for c in output])


def pad(tensor: Tensor, pads: Any, *_: object, **__: object) -> Tensor:
    shape = list(tensor.known())[::-1]
    for i in range(len(pads) // 2):
        shape[i] += pads[2 * i] + pads[2 * i + 1]
    return tensor._of(shape[::-1])


def elementwise(tensor: Value, *others: Value, **_: object) -> Value:
    """Same shape as the operands broadcast; a plain number gives a scalar."""
    if isinstance(tensor, Unknown):
        return Tensor(None)
    out = tensor._of(tensor.shape) if isinstance(tensor, Tensor) else Tensor(())
    for other in others:
        out = out.broadcast(other) if isinstance(other, Tensor) else out
    return out


def where(condition: Any, a: Any = None, b: Any = None) -> Value:
    """With a mask alone: the places where it is one, if their number is known."""
    if a is None and b is None and isinstance(condition, Tensor) and condition.ones is not None:
        return tuple(Tensor((condition.ones,)) for _ in condition.known())
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        made = condition.broadcast(a).broadcast(b) if isinstance(condition, Tensor) else Tensor(None)
        dtypes = [x.own_dtype for x in (a, b) if isinstance(x, Tensor)]
        return typed_as(made, promoted(dtypes[0], dtypes[-1]))
    return Tensor(None) if a is None else Tensor(condition.shape)


def typed(*a: Value, **_: object) -> Tensor:
    """torch.Tensor([..]), torch.FloatTensor(array), torch.FloatTensor(2, 3) or torch.Tensor()"""
    if a and isinstance(a[0], Size):
        return Tensor(a[0])
    return tensor(a[0]) if a and isinstance(a[0], (list, tuple, Tensor)) else factory(*a) if a else Tensor((0,))


def tensor(value: Value = None, *_: object, **__: object) -> Tensor:
    made = Tensor(shape_of(value))
    made.values = _numbers(value)
    made.own_dtype = value.own_dtype if isinstance(value, Tensor) else _literal_dtype(made.values)
    return made


def _literal_dtype(numbers: list[Value] | None) -> DType | None:
    """Of whole numbers int64, of truth values bool, of floats the default."""
    kinds = {type(number) for number in numbers or ()}
    return BOOL if kinds == {bool} else INT64 if kinds and kinds <= {bool, int} else None


def _numbers(value: Value) -> list[Value] | None:
    """The numbers of a plain number or a short list of them."""
    if isinstance(value, Tensor):
        return value.values
    items = value if isinstance(value, (list, tuple)) else [value]
    known = len(items) <= _KEPT and all(type(x) in (int, float, bool) for x in items)
    return list(items) if known else None


def randint(*a: Value, **k: Value) -> Tensor:
    return factory(k["size"] if "size" in k else next(x for x in a if isinstance(x, (tuple, list))))


def normal(mean: Value = 0.0, std: Value = 1.0, size: Value = (), **_: object) -> Value:
    return factory(size) if size else elementwise(mean, std)


def full(shape: Value, fill_value: Value = None, *_: object, **options: Any) -> Tensor:
    return _typed(factory(shape), options, fill_of_number(fill_value))


def _eye(n: Value, m: Value = None, **_: object) -> Tensor:
    return Tensor((n, n if m is None else m))


def _method(name: str) -> Callable[..., Value]:
    method = next(own(c)[name] for c in Tensor.__mro__ if name in own(c))
    return lambda tensor, *a, **k: method(tensor, *a, **k) if isinstance(tensor, Tensor) else Unknown(name)


_ELEMENTWISE = (
    "zeros_like ones_like empty_like rand_like randn_like full_like log exp sin cos sqrt abs tril triu rsqrt floor "
    "ceil tanh "
    "sigmoid clamp pow neg round logical_not cumsum flip div mul add sub log2 log10 maximum minimum square tan roll "
    "softmax "
    "view_as_real conj exp2 polar expm1 log1p erf erfinv cumprod sign isnan isinf atan acos asin cosh sinh relu "
    "lerp remainder fmod nan_to_num logical_and logical_or eq ne lt le gt ge masked_fill sigmoid reciprocal true_divide"
)
_METHODS = (
    "flatten unsqueeze squeeze transpose permute sum reshape chunk split unbind repeat_interleave outer mean prod t"
)
_COMPARISONS = "eq ne lt le gt ge logical_not logical_and logical_or isnan isinf"
# Of whole numbers they make the default float.
_ANALYTIC = (
    "log exp sin cos sqrt rsqrt tanh sigmoid log2 log10 exp2 tan expm1 log1p erf erfinv atan acos asin cosh sinh reciprocal "
    "true_divide div"
)
_MAKERS = (
    "empty zeros ones rand randn full tensor as_tensor arange linspace zeros_like ones_like empty_like rand_like randn_like "
    "full_like randint eye randperm sum prod cumsum softmax"
)
_DTYPES = (
    "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 float8_e4m3fn float8_e5m2 half double complex64 "
    "float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2 complex32 complex128 "
    "float bool "
    "long int short uint16 uint32 uint64"
)
_ALIASES = {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "long": "int64",
    "int": "int32",
    "short": "int16",
}


def _is_floating(value: Value) -> Value:
    """torch takes a tensor; a few sources hand it a dtype."""
    kind = value.dtype if isinstance(value, Tensor) else value
    return kind.is_floating_point if isinstance(kind, DType) else Unknown("is_floating_point")


def _taking_dtype(function: Callable[..., Value]) -> Callable[..., Value]:
    """The function, whose keyword `dtype` is that of the tensor it makes."""

    @wraps(function)
    def made(*args: Value, **options: Value) -> Value:
        found, dtype = function(*args, **options), options.get("dtype")
        return typed_as(found, dtype) if isinstance(dtype, DType) and isinstance(found, Tensor) else found

    return made


def functions() -> dict[str, Value]:
    """Name -> function for the torch namespace."""
    found: dict[str, Value] = {n: partial(factory, function=n) for n in ("empty", "zeros", "ones", "rand", "randn")}
    found.update(dict.fromkeys(_ELEMENTWISE.split(), elementwise))
    found.update(zeros_like=_like("zero"), ones_like=_like("one"), empty_like=_like("other"))
    found.update({name: _method(name) for name in _METHODS.split()})
    found.update({name: DType(_ALIASES.get(name, name)) for name in _DTYPES.split()})
    found.update(dict.fromkeys(("FloatTensor", "LongTensor", "IntTensor"), typed))
    found.update(dict.fromkeys(("cat", "concat", "concatenate"), cat))
    found.update(
        Tensor=guarded_type(Tensor, typed),
        Size=Size,
        dtype=DType,
        arange=arange,
        linspace=linspace,
        stack=stack,
        meshgrid=meshgrid,
        einsum=einsum,
        tensor=tensor,
        as_tensor=tensor,
        from_numpy=tensor,
        full=full,
        eye=_eye,
        randperm=lambda n, **_: Tensor((n,)),
        range=lambda a, b, *_, **__: Tensor((int(b - a) + 1,)),
        randint=randint,
        hann_window=lambda n, *_, **__: Tensor((n,)),
        normal=normal,
        where=where,
        matmul=lambda a, b: a @ b,
        is_tensor=lambda x: isinstance(x, Tensor),
        is_floating_point=_is_floating,
        get_default_dtype=lambda: limits.current().dtype or FLOAT32,
        inf=math.inf,
        nan=math.nan,
        pi=math.pi,
    )
    for name in _ANALYTIC.split():
        found[name] = floating(function_of(found[name]))
    for name in _COMPARISONS.split():
        found[name] = _of_dtype(function_of(found[name]), BOOL)
    for name in _MAKERS.split():
        found[name] = _taking_dtype(function_of(found[name]))
    return found


def _of_dtype(function: Callable[..., Value], dtype: DType) -> Callable[..., Value]:
    def made(*args: Value, **options: Value) -> Value:
        found = function(*args, **options)
        return typed_as(found, dtype) if isinstance(found, Tensor) else found

    return made
