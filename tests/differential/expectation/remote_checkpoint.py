"""Copies of a saved checkpoint, whole and damaged: tensors removed, renamed, of another size. Only bytes are read."""

from __future__ import annotations

import json
import os
import shutil
import struct

Header = dict[str, dict[str, object]]


def damaged(top: str) -> dict[str, str]:
    """Folder in `top` -> what was done to it: the checkpoint `whole` itself, and damaged copies beside it."""
    whole = os.path.join(top, "whole")
    names = sorted(_names(whole))
    removed, renamed = names[len(names) // 2], names[len(names) // 3]
    for folder, name, new in (("removed", removed, None), ("renamed", renamed, f"{renamed}.renamed")):
        shutil.copytree(whole, os.path.join(top, folder))
        _rewrite(os.path.join(top, folder), name, new)
    return {"whole": "whole", "removed": f"without {removed}", "renamed": f"with {renamed} renamed"}


def _weights(folder: str) -> str:
    return os.path.join(folder, "model.safetensors")


def _names(folder: str) -> list[str]:
    with open(_weights(folder), "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    return [name for name in header if name != "__metadata__"]


def _rewrite(folder: str, name: str, new: str | None) -> None:
    """Rename a tensor, or take it out together with its bytes."""
    with open(_weights(folder), "rb") as file:
        header: Header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    taken = header.pop(name)
    begin, end = taken["data_offsets"]  # type: ignore[misc]
    if new is not None:
        header[new] = taken
    else:
        data = data[:begin] + data[end:]
        for entry in header.values():
            first, last = entry.get("data_offsets", (0, 0))  # type: ignore[misc]
            if first >= end:
                entry["data_offsets"] = [first - (end - begin), last - (end - begin)]
    text = json.dumps(header).encode()
    with open(_weights(folder), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
