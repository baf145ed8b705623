"""Whether a tensor lies inside its storage, and whether its bytes follow each other there."""

from __future__ import annotations

from functools import lru_cache
from math import prod

from loadproof.core.tensors import Shape
from loadproof.formats.faults import Faults, cut
from loadproof.formats.torch.dtypes import SIZES
from loadproof.formats.torch.table import Path, Stored
from loadproof.formats.torch.tensors import Tensor

_MOST = 2**63  # elements


def check_view(stored: Stored, file: str, faults: Faults) -> None:
    """Record a tensor whose offset, shape and stride do not fit its storage (LP008)."""
    tensor = stored.tensor
    if tensor.storage is None:
        return
    room = tensor.storage.bytes // SIZES[tensor.dtype]
    why = _why_wrong(tensor.shape, tensor.stride, tensor.offset, room)
    if why is None:
        return
    severity, text = why
    name = name_of(stored.path)
    detail = "view" if severity == "error" else "expanded"
    text = f"{cut(ascii(name))} {text}"
    if severity == "error":
        faults.add("LP008", file, detail, text, tensor=name)
    else:
        faults.add("LP008", file, detail, text, tensor=name, severity="warning")


@lru_cache(maxsize=4_096)
def _why_wrong(shape: Shape, stride: Shape, offset: int, room: int) -> tuple[str, str] | None:
    """Severity and words; `room` is the number of elements in the storage."""
    if len(shape) != len(stride):
        return "error", f"has {len(shape)} dimensions and {len(stride)} strides"
    if offset < 0 or any(number < 0 for number in (*shape, *stride)):
        return "error", "has a negative offset, shape or stride"
    count = prod(shape)
    if count >= _MOST:
        return "error", f"of shape {list(shape)} has more than 2^63 elements"
    last = offset + sum((n - 1) * step for n, step in zip(shape, stride, strict=True))
    if count and last >= room:
        return "error", f"needs element {last:,} of a storage of {room:,}"
    return ("warning", f"shows {room:,} stored elements as {count:,}") if count > max(room, 1) * 1_000 else None


def is_contiguous(tensor: Tensor) -> bool:
    """Whether the elements follow each other in the order of the shape."""
    step = 1
    for n, stride in zip(reversed(tensor.shape), reversed(tensor.stride), strict=True):
        if n != 1 and stride != step:
            return not prod(tensor.shape)
        step *= n
    return True


def name_of(path: Path) -> str:
    """The path as one name, as a flat state dict would have it."""
    return ".".join(key if isinstance(key, str) else str(key) if isinstance(key, int) else "?" for key in path)
