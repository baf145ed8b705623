"""The functions in a file of torch that build no tensor: dicts, sets, shapes, devices, numpy's arrays."""

from __future__ import annotations

from loadproof.formats.pickled.machine import Maker
from loadproof.formats.pickled.values import Mapping, Members, Value
from loadproof.formats.torch.tensors import Array, ArrayType, whole_numbers

Arguments = tuple[Value, ...]
_LAYOUTS = frozenset(
    f"torch.{layout}"
    for layout in ("strided", "jagged", "_mkldnn", *(f"sparse_{kind}" for kind in ("coo", "csr", "csc", "bsr", "bsc")))
)


def _mapping(arguments: Arguments) -> Mapping:
    pairs = arguments[0] if arguments else ()
    if isinstance(pairs, dict):
        return Mapping(pairs)
    found = Mapping()
    for pair in pairs if isinstance(pairs, tuple | list) else ():
        if not isinstance(pair, tuple | list) or len(pair) != 2 or isinstance(pair[0], tuple | list | dict):
            raise ValueError("a dict of something else than pairs")
        found[pair[0]] = pair[1]
    return found


def _counting(arguments: Arguments) -> Mapping:
    """A defaultdict; its argument is the function that makes its values."""
    return Mapping()


def _size(arguments: Arguments) -> tuple[int, ...]:
    return whole_numbers(arguments[0]) if arguments else ()


def _device(arguments: Arguments) -> str:
    if not all(isinstance(part, str | int) for part in arguments):
        raise ValueError("a device that is none")
    return ":".join(map(str, arguments))


def _layout(arguments: Arguments) -> str:
    found = arguments[0]
    if not isinstance(found, str) or found not in _LAYOUTS:
        raise ValueError("a layout that is not known")
    return found


def _encoded(arguments: Arguments) -> bytes:
    text, encoding = arguments[0], arguments[1] if len(arguments) > 1 else "latin1"
    if not isinstance(text, str):
        raise ValueError("bytes that are no text")
    return text.encode("latin-1" if encoding in ("latin1", "latin-1") else "ascii")


def _bytes(arguments: Arguments) -> bytes:
    if not arguments:
        return b""
    return arguments[0] if isinstance(arguments[0], bytes) else _encoded(arguments)


def _members(arguments: Arguments) -> Members:
    return Members(arguments[0] if arguments and isinstance(arguments[0], tuple | list) else ())


def _complex(arguments: Arguments) -> complex:
    numbers = [float(part) for part in arguments if isinstance(part, int | float)]
    return complex(*numbers)


def _scalar(arguments: Arguments) -> Array:
    kind = arguments[0]
    return Array(kind.dtype if isinstance(kind, ArrayType) else "", ())


def _array(arguments: Arguments) -> Array:
    """Its shape and type come as its state."""
    return Array()


def _array_type(arguments: Arguments) -> ArrayType:
    return ArrayType(arguments[0][:100] if isinstance(arguments[0], str) else "")


PLAIN_MAKERS: dict[tuple[str, str], Maker] = {
    ("collections", "OrderedDict"): _mapping,
    ("collections", "Counter"): _mapping,
    ("collections", "defaultdict"): _counting,
    ("torch", "Size"): _size,
    ("torch", "device"): _device,
    ("torch.serialization", "_get_layout"): _layout,
    ("_codecs", "encode"): _encoded,
    ("builtins", "bytearray"): _bytes,
    ("builtins", "set"): _members,
    ("builtins", "frozenset"): _members,
    ("builtins", "complex"): _complex,
    ("numpy", "dtype"): _array_type,
    ("numpy", "ndarray"): _array,
    **{(f"numpy.{core}.multiarray", "scalar"): _scalar for core in ("core", "_core")},
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _array for core in ("core", "_core")},
}
