"""One entry of a header, judged field by field."""

from __future__ import annotations

from typing import Any

from loadproof.formats.entry import BITS, HIGHEST_RANK, LARGEST_DIM, REPLACED, Entry, bits_of, is_plain
from loadproof.formats.faults import Faults, cut
from loadproof.jsontext.read import Pairs

_FIELDS = ("dtype", "shape", "data_offsets")


class OddNumber(str):
    """The text of a JSON number that is no natural number below 10^20."""

    __slots__ = ()


def check_entry(name: str, value: Any, file: str, offset: int, faults: Faults, is_kept: bool = True) -> Entry | None:
    """The entry if its dtype, shape and offsets make sense together; otherwise None, and `faults` say why.

    Entries that the official library reads although they break the schema are reported and still returned. An entry
    that a later one of the same name replaces (`is_kept` false) is marked so: of it that library looks at JSON types only.
    """
    if plain := _read_plain(value):
        return plain

    def fault(detail: str, text: str, particular: str = "", code: str = "LP007", **more: Any) -> None:
        text = f"{cut(name)}: {text}"
        faults.add(code, file, detail, text, tensor=name, offset=offset, particular=particular, **more)

    fields = _fields(value, fault)
    if fields is None:
        return None
    dtype, shape = _dtype(fields["dtype"], fault), _numbers(fields["shape"], "shape", fault)
    offsets = _numbers(fields["data_offsets"], "data_offsets", fault)
    if dtype is None or shape is None or offsets is None:
        return None
    if len(offsets) != 2:
        text = f"data_offsets holds {len(offsets)} numbers"
        fault("offsets", text, str(len(offsets)), expected="2")
        return None
    return _sizes(Entry(dtype, shape, (offsets[0], offsets[1])), fault if is_kept else _of_replaced(fault))


def _of_replaced(fault: Any) -> Any:
    return lambda detail, text, _particular="", **more: fault(detail, text, REPLACED, **more)


def _read_plain(value: Any) -> Entry | None:
    """The entry if there is nothing to say about it."""
    if type(value) is not Pairs or len(value) != 3:
        return None
    fields = dict(value)
    dtype, shape, offsets = (fields.get(field) for field in _FIELDS)
    if type(dtype) is not str or type(shape) is not list or type(offsets) is not list or len(offsets) != 2:
        return None
    if not all(type(number) is int for number in (*shape, *offsets)) or offsets[1] >= 2**63:
        return None
    return (
        Entry(dtype, tuple(shape), tuple(offsets)) if is_plain(dtype, tuple(shape), offsets[1] - offsets[0]) else None
    )


def _fields(value: Any, fault: Any) -> dict[str, Any] | None:
    if isinstance(value, list) and not isinstance(value, Pairs) and len(value) == 3:
        fault("entry-as-array", "the entry is an array instead of an object")
        return dict(zip(_FIELDS, value, strict=True))
    if not isinstance(value, Pairs):
        fault("entry-type", "the entry is not an object")
        return None
    fields = dict(value)
    if twice := [field for field in _FIELDS if sum(key == field for key, _ in value) > 1]:
        fault("field", f"{twice[0]} is given twice", twice[0], code="LP009")
        return None
    if absent := [field for field in _FIELDS if field not in fields]:
        fault("field-missing", f"{absent[0]} is missing", expected=absent[0])
        return None
    if unknown := [key for key in fields if key not in _FIELDS]:
        fault("field-unknown", f"unknown field {cut(unknown[0])!r}", found=cut(unknown[0]))
    return fields


def _dtype(value: Any, fault: Any) -> str | None:
    if isinstance(value, Pairs) and len(value) == 1 and value[0][1] is None and value[0][0] in BITS:
        fault("dtype-as-map", "dtype is an object instead of a string")
        return value[0][0]
    if not isinstance(value, str) or isinstance(value, OddNumber):
        fault("dtype", "dtype is not a string")
        return None
    if value not in BITS:
        fault("dtype", f"unknown dtype {cut(value)!r}", found=cut(value))
        return None
    return value


def _numbers(value: Any, field: str, fault: Any) -> tuple[int, ...] | None:
    """A list of natural numbers below 2^64."""
    detail = "shape" if field == "shape" else "offsets"
    if not isinstance(value, list) or isinstance(value, Pairs):
        fault(detail, f"{field} is not a list of numbers", "not-a-list")
        return None
    for number in value:
        if type(number) is not int or number >= 2**64:
            code = "LP008" if field != "shape" and _is_integer(number) else "LP007"
            text = f"{field} holds {cut(str(number)) if _is_number(number) else _word(number)}"
            fault(detail, text, "not-a-number", code=code, expected="a whole number below 2^64")
            return None
    return tuple(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, OddNumber) or type(value) is int


def _is_integer(value: Any) -> bool:
    return type(value) is int or (isinstance(value, OddNumber) and value.lstrip("-").isdigit() and value != "-0")


def _word(value: Any) -> str:
    return {"str": "a string", "bool": "true or false", "NoneType": "null"}.get(type(value).__name__, "something else")


def _sizes(entry: Entry, fault: Any) -> Entry | None:
    """Whether dtype x shape fits the span; the order of the checks is the official library's."""
    begin, end = entry.data_offsets
    bits = bits_of(entry.dtype, entry.shape)
    if end < begin:
        text = f"data_offsets run backwards ({begin} to {end})"
        fault("reversed", text, code="LP008", found=f"{begin}..{end}")
        return None
    if bits is None:
        text = f"the size of shape {_show(entry.shape)} overflows 64 bits"
        fault("overflow", text, "64-bits")
        return None
    if bits % 8:
        text = f"{bits} bits ({entry.dtype} {_show(entry.shape)}) do not end at a byte"
        fault("sub-byte", text, "byte-boundary")
        return None
    if end - begin != bits // 8:
        text = f"{entry.dtype} {_show(entry.shape)} needs {bits // 8:,} bytes, data_offsets give it {end - begin:,}"
        fault("span", text, expected=f"{bits // 8} bytes", found=f"{end - begin} bytes")
        return None
    _remark(entry, fault)
    return entry


def _remark(entry: Entry, fault: Any) -> None:
    """Legal for the format, but no framework can hold it."""
    without_zeros = 1
    for dim in entry.shape:
        without_zeros *= max(dim, 1)
    if without_zeros > LARGEST_DIM:
        fault("overflow", f"the dimensions of {_show(entry.shape)} are beyond what a framework can hold")
    elif len(entry.shape) > HIGHEST_RANK:
        fault("rank", f"{len(entry.shape)} dimensions; torch holds at most {HIGHEST_RANK}", severity="warning")
    elif entry.dtype.startswith("F6_"):
        fault("dtype-foreign", f"torch has no dtype for {entry.dtype}", severity="info")
    elif entry.dtype == "F4" and (not entry.shape or entry.shape[-1] % 2):
        text = f"torch needs an even last dimension for F4, found {_show(entry.shape)}"
        fault("sub-byte", text, severity="warning")


def _show(shape: tuple[int, ...]) -> str:
    return cut(str(list(shape)))
