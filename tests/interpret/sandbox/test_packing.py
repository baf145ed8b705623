"""What config files hold goes through the pipe unchanged, and what does not decode is refused."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from loadproof.interpret.sandbox.packing import pack, unpack

VALUES: tuple[Any, ...] = (
    *(None, True, 1.5, "x", "é", [], {}, {"a": [1, {"b": None}]}, 1 << 63, -(1 << 63), 1 << 64, -(1 << 64), 1 << 4_000),
    *("\ud800", {"\udc00": 1}, {"\udc00": {"\ud800": [1 << 70]}, "a": 2}, ["\ud800", {"x": -(1 << 90)}], float("inf")),
)


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_it_comes_back_as_it_was(value: Any) -> None:
    assert unpack(pack(value), Any) == value


def test_no_number_is_one_still() -> None:
    assert str(unpack(pack([float("nan")]), list[float])) == "[nan]"


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\xd4\x05\x00", b"\xc7\x01\x02\xff", b"\x91" * 100_000])
def test_what_does_not_decode_is_refused(data: bytes) -> None:
    with pytest.raises((ValueError, RecursionError, msgspec.MsgspecError)):
        unpack(data, Any)
