"""What the safetensors library says to a file that it refuses (safetensors 0.8, `deserialize` and `safe_open`).

Every loading library that opens weights through it raises these texts.
"""

from __future__ import annotations

from collections.abc import Callable

from loadproof.core.checkpoint import Problem
from loadproof.formats.entry import BITS, REPLACED

Said = str | Callable[[Problem], str | None]

_HEADER = "SafetensorError: Error while deserializing header: "
_JSON = _HEADER + "invalid JSON in header"
_LENGTHS = {
    "over-limit": _HEADER + "header too large",
    "beyond-end": _HEADER + "invalid header length",
    "below-two": _JSON + ": EOF while parsing a value",
}


def refusal(problem: Problem) -> str | None:
    """The exception text, None where the library takes the file with this fault, or where the fault is none of a header."""
    said = _SAID.get((problem.code, problem.detail))
    return said if said is None or isinstance(said, str) else said(problem)


def _by_length(problem: Problem) -> str | None:
    return _LENGTHS.get(problem.particular)


def _unless_replaced(text: str) -> Callable[[Problem], str | None]:
    return lambda problem: None if problem.particular == REPLACED else text


def _only_if(particular: str, text: str) -> Callable[[Problem], str | None]:
    return lambda problem: text if problem.particular == particular else None


def _duplicate(problem: Problem) -> str | None:
    return _JSON + ": duplicate field `__metadata__`" if problem.tensor == "__metadata__" else None


def _metadata(problem: Problem) -> str | None:
    return f"{_JSON}: invalid type, expected {problem.particular}" if problem.particular else None


def _dtype(problem: Problem) -> str:
    if problem.found is None:
        return _JSON + ": invalid type, expected string or map"
    return f"{_JSON}: unknown variant `{problem.found}`, expected one of " + ", ".join(f"`{known}`" for known in BITS)


def _numbers(problem: Problem) -> str:
    if problem.particular == "not-a-list":
        return _JSON + ": invalid type, expected a sequence"
    if problem.particular == "not-a-number":
        return _JSON + ": invalid type or value, expected usize"
    return f"{_JSON}: invalid length {problem.particular}, expected a tuple of size 2"


def _offset(problem: Problem) -> str:
    return f"{_HEADER}invalid offset for tensor `{problem.tensor}`"


_SAID: dict[tuple[str, str], Said] = {
    ("LP001", "lfs-pointer"): _by_length,
    ("LP002", "impostor"): _by_length,
    ("LP003", "too-short"): _HEADER + "header too small",
    ("LP003", "header-cut"): _HEADER + "invalid header length",
    ("LP003", "changed"): _by_length,
    ("LP003", "data-cut"): _HEADER + "incomplete metadata, file not fully covered",
    ("LP004", "trailing"): _HEADER + "incomplete metadata, file not fully covered",
    ("LP005", "zeros"): _JSON + ": EOF while parsing a value at line 1 column 0",
    ("LP006", "length"): _by_length,
    ("LP006", "utf-8"): _HEADER + "invalid UTF-8 in header",
    ("LP006", "no-object"): _JSON + ": expected value at line 1 column 1",
    ("LP006", "nesting"): _JSON + ": recursion limit exceeded",
    ("LP006", "padding"): _only_if("other-bytes", _JSON + ": trailing characters"),
    ("LP006", "json"): _JSON,
    ("LP006", "lone-surrogate"): _JSON + ": unexpected end of hex escape",
    ("LP006", "metadata"): _metadata,
    ("LP007", "entry-type"): _JSON + ": invalid type, expected struct TensorInfo",
    ("LP007", "field-missing"): lambda problem: f"{_JSON}: missing field `{problem.expected}`",
    ("LP007", "dtype"): _dtype,
    ("LP007", "shape"): _numbers,
    ("LP007", "offsets"): _numbers,
    ("LP007", "overflow"): _only_if(
        "64-bits", _HEADER + "overflow computing buffer size from shape and/or element type"
    ),
    ("LP007", "sub-byte"): _only_if(
        "byte-boundary",
        _HEADER + "The slice is slicing for subbytes dtypes, and the slice does not end up at a byte boundary, this is "
        "invalid.",
    ),
    ("LP007", "span"): _unless_replaced(_HEADER + "invalid shape, data type, or offset for tensor"),
    ("LP008", "offsets"): _numbers,
    ("LP008", "reversed"): _unless_replaced(_HEADER + "invalid offset for tensor"),
    ("LP008", "hole"): _offset,
    ("LP008", "overlap"): _offset,
    ("LP009", "identical"): _duplicate,
    ("LP009", "conflicting"): _duplicate,
    ("LP009", "field"): lambda problem: f"{_JSON}: duplicate field `{problem.particular}`",
}
