"""Which relative paths, as written in an index, may be followed at all. Pure text: nothing is opened here."""

from __future__ import annotations

import re

_DRIVE = re.compile(r"[A-Za-z]:")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_BLOB_LINK = re.compile(r"\.\./\.\./blobs/[0-9A-Za-z_.-]{1,255}")
_SNAPSHOT = re.compile(r"/models--[^/]+/snapshots/[^/]+")
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


def is_cache_link(root: str, target: str) -> bool:
    """Whether a link with this text, lying in `root`, has the shape of the hub cache (snapshots/<rev> -> blobs)."""
    match = _SNAPSHOT.search(root)
    return match is not None and match.end() == len(root) and _BLOB_LINK.fullmatch(target) is not None
