"""One regular expression for the bytes that torch.save writes per tensor: `name: tensor` in one step of the machine.

It gives the answer of the plain opcodes or none at all; half of the reading time of a large file is saved.
"""

from __future__ import annotations

import re
from functools import lru_cache
from struct import unpack_from

from loadproof.formats.pickled.machine import Machine
from loadproof.formats.pickled.values import Global, Mapping, Value
from loadproof.formats.torch.dtypes import STORAGES
from loadproof.formats.torch.tensors import Storage, Tensor

_LONGEST_NAME = 4_096  # bytes
_NUMBER = rb"(?:K.|M..|J....)"
_PUT = rb"(q.|r...\0)"  # an index within the limit of the machine
_GET = rb"(h.|j....)"
_TUPLE = rb"(\)|%s\x85|%s{2}\x86|%s{3}\x87|\(%s{4,8}t)" % ((_NUMBER,) * 4)
_MAYBE_PUT = rb"(q.|r...\0|)"
_TENSOR = re.compile(
    _PUT + _GET + rb"\(\(" + _GET + _GET + rb"X(.)\0\0\0([0-9]{1,9})" + _PUT + _GET
    + rb"(%s)t" % _NUMBER + _PUT + rb"Q(%s)" % _NUMBER + _TUPLE + _MAYBE_PUT + _TUPLE + _MAYBE_PUT
    + rb"([\x88\x89])" + _GET + rb"\)R" + _PUT + rb"t" + _PUT + rb"R" + _PUT,
    re.DOTALL,
)  # fmt: skip
_FUNCTION = Global("torch._utils", "_rebuild_tensor_v2")
_HOOKS = Global("collections", "OrderedDict")
_GETS = (1, 2, 3, 7, 16)  # the groups of: function, "storage", storage class, location, hooks
_PUTS = (0, 6, 9, 12, 14, 17, 18, 19)  # of: name, key, id, shape, stride, hooks, arguments, tensor
_WIDTHS = {ord("K"): 2, ord("M"): 3, ord("J"): 5}


def entry(machine: Machine) -> bool:
    """Take a name and its tensor, which begin here; False where the bytes are not those of a plain tensor."""
    data, start = machine.data, machine.pos + 4
    if start > machine.end:
        return False
    stop = start + unpack_from("<I", data, machine.pos)[0]
    match = _TENSOR.match(data, stop) if stop - start < _LONGEST_NAME else None
    if match is None:
        return False
    groups, index = match.groups(), int.from_bytes
    gets = [index(groups[at][1:], "little") for at in _GETS]
    puts = [index(groups[at][1:], "little") for at in _PUTS if groups[at]]
    if min(puts) <= max(gets):  # a put might change what a later get takes: the memo is looked at before all of them
        return False
    storage = _storage(machine, groups, gets)
    if storage is None:
        return False
    _take(machine, data[start:stop].decode("utf-8", "surrogatepass"), storage, groups, puts)
    machine.pos = match.end()
    return True


def _storage(machine: Machine, groups: tuple[bytes, ...], gets: list[int]) -> tuple[Storage, Global] | None:
    """The storage and its class, None where a memo entry is not what torch.save keeps there."""
    function, word, storage_class, place, hooks = map(machine.memo.get, gets)
    width, key, count = groups[4], groups[5], groups[8]
    if function != _FUNCTION or word != "storage" or hooks != _HOOKS:
        return None
    if not isinstance(storage_class, Global) or storage_class.module != "torch" or type(place) is not str:
        return None
    dtype, length = STORAGES.get(storage_class.name), _number(count)
    if dtype is None or length < 0 or width[0] != len(key):
        return None
    return Storage(dtype, key.decode(), place, length), storage_class


def _take(
    machine: Machine, name: str, found: tuple[Storage, Global], groups: tuple[bytes, ...], puts: list[int]
) -> None:
    """Build the tensor, and keep in the memo what the plain opcodes would keep there."""
    begin, shape, shape_put, stride, stride_put, grad = groups[10:16]
    storage, storage_class = found
    key, offset, dimensions, steps, hooks = storage.key, _number(begin), _numbers(shape), _numbers(stride), Mapping()
    tensor = Tensor(storage.dtype, dimensions, steps, offset, storage)
    kept: list[Value] = [name, key, ("storage", storage_class, key, storage.location, storage.length)]
    if shape_put:
        kept.append(dimensions)
    if stride_put:
        kept.append(steps)
    kept += (hooks, (storage, offset, dimensions, steps, grad == b"\x88", hooks), tensor)
    machine.memo.update(zip(puts, kept, strict=True))
    machine.stack += (name, tensor)


def _number(raw: bytes) -> int:
    return int.from_bytes(raw[1:], "little", signed=len(raw) == 5)


@lru_cache(maxsize=4_096)
def _numbers(raw: bytes) -> tuple[int, ...]:
    """The numbers of a tuple as its opcodes build it, in front of the put."""
    found, at, stop = [], 1 if raw[:1] == b"(" else 0, len(raw) - 1
    while at < stop:
        width = _WIDTHS[raw[at]]
        found.append(_number(raw[at : at + width]))
        at += width
    return tuple(found)
