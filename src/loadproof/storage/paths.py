"""Which relative paths, as written in an index, may be followed at all. Pure text: nothing is opened here."""

from __future__ import annotations

import re

_DRIVE = re.compile(r"[A-Za-z]:")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
LONGEST_PART = 255  # bytes; NAME_MAX of the usual file systems


def why_unsafe(path: str) -> str | None:
    """Why `path` is not a plain relative path inside its folder: a short kind such as ``absolute-path``, or None.

    Windows forms are refused everywhere, so that one checkpoint gets one answer on every system.
    """
    if not path or path in (".", "./"):
        return "empty-path"
    if "\0" in path:
        return "nul-byte"
    if _LONE_SURROGATE.search(path):
        return "lone-surrogate"
    if _URL.match(path):
        return "url"
    if path.startswith("/"):
        return "absolute-path"
    if "\\" in path or _DRIVE.match(path):
        return "windows-path"
    parts = path.split("/")
    if ".." in parts:
        return "parent-folder"
    if "" in parts or "." in parts:
        return "odd-path"
    if any(len(part.encode()) > LONGEST_PART for part in parts):
        return "too-long"
    return None


def plain(path: str) -> str:
    """``./a``, ``b//a`` and ``b/./a`` as every system reads them: ``a`` and ``b/a``; any other path as it is.

    A path that ends with ``/`` or ``/.`` names a folder and stays as it is.
    """
    if why_unsafe(path) != "odd-path" or path.endswith(("/", "/.")):
        return path
    return "/".join(part for part in path.split("/") if part not in ("", "."))
