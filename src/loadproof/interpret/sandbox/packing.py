"""Plain data as bytes and back, typed: what no MessagePack can hold (long integers, half surrogates) goes as an extension."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

_INTEGER, _TEXT, _PAIRS = 1, 2, 3  # pairs: a dictionary with a key that is an extension itself
_T = TypeVar("_T")


def pack(value: Any) -> bytes:
    """Raises RecursionError for what nests too deeply, TypeError for what is no plain data."""
    try:
        return msgspec.msgpack.encode(value)
    except (OverflowError, UnicodeEncodeError):
        return msgspec.msgpack.encode(_extended(msgspec.to_builtins(value)))


def unpack(data: bytes, kind: type[_T]) -> _T:
    """Raises msgspec.MsgspecError, ValueError or RecursionError for what is no such value."""
    return msgspec.msgpack.decode(data, type=kind, ext_hook=_restored)


def _extended(value: Any) -> Any:
    if isinstance(value, dict):
        pairs = [(_extended(key), _extended(item)) for key, item in value.items()]
        if any(isinstance(key, msgspec.msgpack.Ext) for key, _ in pairs):
            return msgspec.msgpack.Ext(_PAIRS, msgspec.msgpack.encode(pairs))
        return dict(pairs)
    if isinstance(value, list | tuple):
        return [_extended(item) for item in value]
    if isinstance(value, int) and value.bit_length() > 63:
        size = value.bit_length() // 8 + 1
        return msgspec.msgpack.Ext(_INTEGER, value.to_bytes(size, "little", signed=True))
    if isinstance(value, str) and not value.isascii():
        return msgspec.msgpack.Ext(_TEXT, value.encode("utf-8", "surrogatepass")) if _has_halves(value) else value
    return value


def _has_halves(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _restored(code: int, data: memoryview) -> Any:
    if code == _INTEGER:
        return int.from_bytes(data, "little", signed=True)
    if code == _TEXT:
        return bytes(data).decode("utf-8", "surrogatepass")
    if code == _PAIRS:
        return dict(unpack(bytes(data), list[tuple[Any, Any]]))
    raise ValueError(f"no such extension: {code}")
