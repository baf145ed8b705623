"""Files under a weight name of another format (.bin, .gguf, ...): what can be said of them from their first bytes."""

from __future__ import annotations

from loadproof.core.checkpoint import FileInfo
from loadproof.formats import sniff
from loadproof.formats.faults import Faults
from loadproof.lexicon.formats import SAFETENSORS, named

OTHER = "not-safetensors"  # a weight file that is not read as safetensors


def check_other(info: FileInfo, head: bytes, faults: Faults) -> bool:
    """Record what is certainly no weight file; True when something was wrong."""
    if info.kind == "lfs-pointer":
        real = sniff.lfs_size(head)
        text = "a Git LFS pointer lies in place of the weights" + (f" ({real:,} bytes)" if real else "")
        faults.add(
            "LP001",
            info.path,
            "lfs-pointer",
            text,
            offset=0,
            expected=f"{real} bytes" if real else None,
            found=f"{info.size} bytes",
            particular=OTHER,
        )
    elif info.kind == "empty":
        faults.add(
            "LP003",
            info.path,
            "too-short",
            "the file is empty",
            offset=0,
            found="0 bytes",
            particular=OTHER,
        )
    elif info.kind == "zeros":
        faults.add(
            "LP005", info.path, "zeros", f"the file begins with {len(head)} zero bytes", offset=0, particular=OTHER
        )
    elif info.kind in ("html", "json", "zip") or _is_of_another_format(info):
        words = "a safetensors file" if info.kind == SAFETENSORS.name else sniff.describe(head)
        faults.add(
            "LP002",
            info.path,
            "impostor",
            f"the file is {words}, whatever its name says",
            offset=0,
            found=words,
            particular=OTHER,
        )
    else:
        return False
    return True


def _is_of_another_format(info: FileInfo) -> bool:
    """What begins as a torch file may be the part of any format of torch."""
    found = named(info.kind)
    return found is not None and found.name != "torch" and not info.path.lower().endswith(found.suffixes)
