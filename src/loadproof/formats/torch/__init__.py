"""Files of ``torch.save`` as one format of several: read without unpickling, importing or running anything."""

from __future__ import annotations

from loadproof.formats.base import TensorFile
from loadproof.formats.faults import Faults
from loadproof.formats.torch.legacy import is_legacy
from loadproof.formats.torch.read import ZIP, read_torch
from loadproof.formats.torch.state_dict import as_tensor_file
from loadproof.storage.base import Ranged


def sniff(head: bytes) -> bool:
    """Whether a file begins as torch.save writes it, today or before 1.6."""
    return head.startswith(ZIP) or is_legacy(head)


def read(opened: Ranged, file: str, head: bytes) -> TensorFile:
    """The state dict that the file holds; what lies deeper is told in `TensorFile.values`."""
    faults = Faults()
    found = read_torch(opened, file, faults)
    return as_tensor_file(found, opened.size, file, faults)


__all__ = ["read", "sniff"]
