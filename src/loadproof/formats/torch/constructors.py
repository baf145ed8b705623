"""The functions that rebuild tensors, as ours: (arguments) -> an inert record (torch/_utils.py, torch/_tensor.py of 2.13).

Each raises ValueError, TypeError or LookupError for arguments that no saver writes.
"""

from __future__ import annotations

from loadproof.formats.pickled.machine import Maker
from loadproof.formats.pickled.values import Called, Global, Value
from loadproof.formats.torch.dtypes import ALIASES, SIZES, STORAGES
from loadproof.formats.torch.plain_values import PLAIN_MAKERS
from loadproof.formats.torch.tensors import Array, Storage, Tensor, whole_numbers

Arguments = tuple[Value, ...]
_LONGEST_TEXT = 1_000  # characters of a key or a device


def persistent(value: Value) -> Storage:
    """The storage behind a persistent id: ('storage', class, key, location, number of elements[, view])."""
    if not isinstance(value, tuple) or len(value) not in (5, 6) or _text(value[0]) != "storage":
        raise ValueError("a persistent id that names no storage")
    dtype, name = _of_storage(value[1])
    length = value[4]
    if type(length) is not int or not 0 <= length < 2**63:
        raise ValueError("a storage of no possible length")
    view = value[5] if len(value) == 6 else None
    return Storage(dtype, _text(value[2]), _text(value[3]), length, _view(view), name == "UntypedStorage")


def _of_storage(kind: Value) -> tuple[str, str]:
    """(type of the elements, name of the class)."""
    if isinstance(kind, Global) and kind.module.startswith("torch"):
        name = kind.name.lstrip("_")
        if name in STORAGES:
            return STORAGES[name], name
    raise ValueError(f"the storage class {kind if isinstance(kind, Global) else ''} is not known")


def _view(value: Value) -> tuple[str, int, int] | None:
    if value is None:
        return None
    if not isinstance(value, tuple) or len(value) != 3:
        raise ValueError("a view of a storage that is no triple")
    offset, length = whole_numbers(value[1:])
    return _text(value[0]), offset, length


def _text(value: Value) -> str:
    if isinstance(value, bytes):
        return value.decode("ascii")
    if type(value) is int:  # keys of very old files
        return str(value)
    if type(value) is not str or len(value) > _LONGEST_TEXT:
        raise ValueError("text expected")
    return value


def dtype_of(value: Value) -> str:
    """The name of a torch.dtype. Raises ValueError for one that is not known."""
    name = value.name if isinstance(value, Global) and value.module == "torch" else ""
    name = ALIASES.get(name, name)
    if name not in SIZES:
        raise ValueError("a type of elements that is not known")
    return name


def _strided(arguments: Arguments) -> Tensor:
    storage, offset, shape, stride = arguments[:4]
    if not isinstance(storage, Storage):
        raise ValueError("a tensor without a storage")
    (start,) = whole_numbers((offset,))
    return Tensor(storage.dtype, whole_numbers(shape), whole_numbers(stride), start, storage)


def _version_1(arguments: Arguments) -> Tensor:
    if len(arguments) != 4:
        raise ValueError("other than 4 arguments")
    return _strided(arguments)


def _version_2(arguments: Arguments, usual: int = 6) -> Tensor:
    tensor = _strided(arguments)
    flags = arguments[usual] if len(arguments) == usual + 1 else None
    is_usual = usual <= len(arguments) <= usual + 1 and type(arguments[4]) is bool
    if not is_usual or not (flags is None or isinstance(flags, dict)):
        raise ValueError("arguments of other number or type than torch writes")
    tensor.has_flags = bool(flags)
    return tensor


def _version_3(arguments: Arguments) -> Tensor:
    tensor = _version_2(arguments, 7)
    tensor.dtype = dtype_of(arguments[6])
    return tensor


def _parameter(arguments: Arguments) -> Value:
    if len(arguments) > 1 and type(arguments[1]) is not bool:
        raise ValueError("requires_grad is no boolean")
    if isinstance(arguments[0], Tensor):
        arguments[0].role = arguments[0].role or "parameter"
    return arguments[0]


def _quantized(arguments: Arguments) -> Tensor:
    tensor = _strided(arguments)
    scheme = arguments[4]
    if not isinstance(scheme, tuple) or not scheme or not isinstance(scheme[0], Global):
        raise ValueError("a quantizer that is none")
    tensor.kind = "quantized"
    tensor.inner = {f"q{i}": part for i, part in enumerate(scheme[1:]) if isinstance(part, Tensor)}
    return tensor


def _sparse(arguments: Arguments) -> Tensor:
    layout, data = arguments
    if not isinstance(data, tuple):
        raise ValueError("a sparse tensor without parts")
    at, names = (2, ("indices", "values")) if layout == "torch.sparse_coo" else (3, ("compressed", "plain", "values"))
    values = data[at - 1]
    if not isinstance(values, Tensor):
        raise ValueError("a sparse tensor without values")
    inner: dict[str, Value] = dict(zip(names, data[:at], strict=False))
    return Tensor(values.dtype, whole_numbers(data[at]), kind="sparse", inner=inner)


def _meta(arguments: Arguments) -> Tensor:
    return Tensor(dtype_of(arguments[0]), whole_numbers(arguments[1]), whole_numbers(arguments[2]), kind="meta")


def _nested(arguments: Arguments) -> Tensor:
    values, sizes = arguments[:2]
    if not isinstance(values, Tensor):
        raise ValueError("a nested tensor without values")
    return Tensor(values.dtype, (), kind="nested", inner={"values": values, "sizes": sizes})


def _wrapper(arguments: Arguments) -> Tensor:
    (offset,) = whole_numbers((arguments[4],))
    shape, stride = whole_numbers(arguments[2]), whole_numbers(arguments[3])
    return Tensor(dtype_of(arguments[1]), shape, stride, offset, kind="wrapper", role=_word(arguments[0]))


def _device(arguments: Arguments) -> Tensor:
    data = arguments[0]
    shape = data.shape if isinstance(data, Tensor | Array) else None
    if shape is None:
        raise ValueError("a tensor of a device without its numbers")
    return Tensor(dtype_of(arguments[1]), shape, kind="device", inner={"data": data})


def _from_type(arguments: Arguments) -> Value:
    """torch._tensor._rebuild_from_type_v2(function, class, its arguments, state)."""
    function, kind, inner, state = arguments
    if not isinstance(inner, tuple) or not isinstance(function, Global):
        raise ValueError("a rebuilding function that is none")
    maker = MAKERS.get((function.module, function.name))
    if maker is None:
        return Called(function, inner, state)
    value = maker(inner)
    if isinstance(value, Tensor):
        value.role = _word(kind)
        if state:
            value.inner["state"] = state
    return value


def _word(value: Value) -> str:
    return str(value) if isinstance(value, Global) else "a class"


_UTILS = "torch._utils"
MAKERS: dict[tuple[str, str], Maker] = {
    **PLAIN_MAKERS,
    (_UTILS, "_rebuild_tensor"): _version_1,
    (_UTILS, "_rebuild_tensor_v2"): _version_2,
    (_UTILS, "_rebuild_tensor_v3"): _version_3,
    (_UTILS, "_rebuild_parameter"): _parameter,
    (_UTILS, "_rebuild_parameter_with_state"): _parameter,
    (_UTILS, "_rebuild_qtensor"): _quantized,
    (_UTILS, "_rebuild_sparse_tensor"): _sparse,
    (_UTILS, "_rebuild_meta_tensor_no_storage"): _meta,
    (_UTILS, "_rebuild_nested_tensor"): _nested,
    (_UTILS, "_rebuild_wrapper_subclass"): _wrapper,
    (_UTILS, "_rebuild_device_tensor_from_cpu_tensor"): _device,
    (_UTILS, "_rebuild_device_tensor_from_numpy"): _device,
    (_UTILS, "_rebuild_xla_tensor"): _device,
    ("torch._tensor", "_rebuild_from_type_v2"): _from_type,
    ("torch._tensor", "_rebuild_from_type"): _from_type,
    ("torch.nn.parameter", "Parameter"): _parameter,
}
