"""Files of ``torch.save``: what tensors they hold and where their bytes are, read without unpickling."""

from loadproof.formats.torch.read import read_torch

__all__ = ["read_torch"]
