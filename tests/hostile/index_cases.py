"""Two healthy shards with a malformed index, or a healthy index with malformed shards."""
# ruff: noqa: UP031 - a % template keeps JSON with its braces readable

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.hostile.making import Case, Special, data, entry, one_tensor, st

INDEX = "model.safetensors.index.json"
S1, S2 = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
OK = {"metadata": {"total_size": 16}, "weight_map": {"a": S1, "b": S2}}


def mapped(**weight_map: object) -> dict[str, object]:
    return {"metadata": {"total_size": 16}, "weight_map": weight_map}


def case(name: str, expect: str, code: str, index: object = OK, drop: tuple[str, ...] = (), **extra: object) -> Case:
    """`extra` holds further files; ``s2`` stands for the second shard."""
    text = index if isinstance(index, str | bytes) else json.dumps(index)
    files = {INDEX: text, S1: one_tensor("a"), S2: one_tensor("b")}
    files |= {S2 if key == "s2" else key: content for key, content in extra.items()}
    return Case("index", name, expect, code, {key: content for key, content in files.items() if key not in drop})


def cases() -> Iterator[Case]:
    yield case("healthy", "ok", "")
    yield from _paths()
    yield from _links()
    yield from _census()
    yield from _schema()
    yield from _texts()


def _paths() -> Iterator[Case]:
    paths = {
        "dotdot": "../case2/" + S2, "dotdot_inside": "sub/../../case2/" + S2, "absolute": "/etc/hostname",
        "backslash": "..\\..\\outside.safetensors", "drive": "C:\\models\\x.safetensors", "unc": "\\\\192.0.2.1\\s\\x",
        "url": "http://192.0.2.254/x.safetensors", "file_url": "file:///etc/passwd", "nul": "x\0.safetensors",
        "empty": "", "dot": ".", "long": "x" * 5000,
    }  # fmt: skip
    for name, path in paths.items():
        yield case(f"path_{name}", "error", "LP110", mapped(a=S1, b=path))
    yield case(
        "path_surrogate", "error", "LP110", '{"metadata":{},"weight_map":{"a":"%s","b":"\\udcff.safetensors"}}' % S1
    )
    yield case("path_ansi", "warn", "LP011", mapped(a=S1, b="\x1b[2J.safetensors"), (S2,),
               **{"\x1b[2J.safetensors": one_tensor("b")})  # fmt: skip
    yield case("case_collision", "warn", "LP110", mapped(a="Model-x.safetensors", b="model-x.safetensors"), (S1, S2),
               **{"Model-x.safetensors": one_tensor("a"), "model-x.safetensors": one_tensor("b")})  # fmt: skip


def _links() -> Iterator[Case]:
    yield case("symlink_outside", "error", "LP110", s2=Special("symlink", "/etc/passwd"))
    yield case("symlink_folder_outside", "error", "LP110", mapped(a=S1, b="sub/passwd"), sub=Special("symlink", "/etc"))
    yield case("symlink_loop", "error", "LP110", s2=Special("symlink", S2))
    yield case("symlink_dangling", "error", "LP114", s2=Special("symlink", "blobs/0000"))
    yield case("symlink_device", "error", "LP110", s2=Special("symlink", "/dev/zero"))
    yield case("symlink_memory", "error", "LP110", s2=Special("symlink", "/proc/self/mem"))
    yield case("fifo", "error", "LP110", s2=Special("fifo"))
    yield case("folder", "error", "LP110", s2=Special("dir"))
    yield case("symlink_inside", "ok", "", **{"blobs/b": one_tensor("b"), "s2": Special("symlink", "blobs/b")})
    yield case("index_fifo", "error", "LP110", **{INDEX: Special("fifo")})
    yield case(
        "hardlink", "warn", "LP103", mapped(a=S1, b="copy.safetensors"), **{"copy.safetensors": Special("hardlink", S2)}
    )


def _census() -> Iterator[Case]:
    both = st({"a": entry("F32", [2], 0, 8), "b": entry("F32", [2], 8, 16)}, data(16))
    yield case("shard_missing", "error", "LP102", drop=(S2,))
    yield case("case_mismatch", "error", "LP102", mapped(a=S1.upper(), b=S2))
    yield case("wrong_shard", "error", "LP106", mapped(a=S2, b=S1))
    yield case("wrong_shard_only", "error", "LP106", mapped(a=S2, b=S2))
    yield case("ghost", "error", "LP104", mapped(a=S1, b=S2, c=S2))
    yield case("unindexed_shard", "error", "LP103", mapped(a=S1))
    yield case("missing_key", "warn", "LP105", {"metadata": {"total_size": 24}, "weight_map": {"a": S1, "b": S2}},
               s2=st({"b": entry("F32", [2], 0, 8), "c": entry("F32", [2], 8, 16)}, data(16)))  # fmt: skip
    yield case("in_two_shards", "error", "LP107", s2=both)
    yield case("leftover_of_another_split", "warn", "LP103", **{"model-00001-of-00003.safetensors": one_tensor("a")})
    names = ("model-00001-of-00003.safetensors", "model-00003-of-00003.safetensors")
    yield case("numbering_gap", "warn", "LP102", mapped(a=names[0], b=names[1]), (S1, S2),
               **{names[0]: one_tensor("a"), names[1]: one_tensor("b")})  # fmt: skip
    yield case("shard_overlaps", "error", "LP008", s2=st({n: entry("F32", [2], 0, 8) for n in "bc"}, data(8)))


def _schema() -> Iterator[Case]:
    totals = {"small": (1, "warn"), "huge": (10**18, "warn"), "negative": (-1, "error"), "string": ("16", "error")}
    for name, (total, expect) in totals.items():
        yield case(f"total_{name}", expect, "LP109", OK | {"metadata": {"total_size": total}})
    yield case("total_float", "info", "LP109", OK | {"metadata": {"total_size": 16.0}})
    yield case("total_nan", "error", "LP101", OK | {"metadata": {"total_size": float("nan")}})
    yield case("no_metadata", "error", "LP101", {"weight_map": OK["weight_map"]})
    yield case("metadata_null", "error", "LP101", OK | {"metadata": None})
    yield case("no_weight_map", "error", "LP101", {"metadata": {"total_size": 16}})
    yield case("weight_map_list", "error", "LP101", {"metadata": {}, "weight_map": [["a", S1]]})
    yield case("weight_map_empty", "error", "LP101", mapped())
    yield case("value_number", "error", "LP101", mapped(a=S1, b=3))
    yield case("value_list", "error", "LP101", mapped(a=S1, b=[S2]))
    yield case(
        "duplicate_key", "error", "LP101", '{"metadata":{},"weight_map":{"a":"%s","a":"%s","b":"%s"}}' % (S1, S2, S2)
    )
    yield case("duplicate_weight_map", "error", "LP101",
               '{"weight_map":{"a":"%s"},"metadata":{},"weight_map":{"a":"%s","b":"%s"}}' % (S1, S1, S2))  # fmt: skip


def _texts() -> Iterator[Case]:
    text = json.dumps(OK)
    texts = {
        "list": "[]", "bom": b"\xef\xbb\xbf" + text.encode(), "utf16": text.encode("utf-16"), "cut": text[:40],
        "empty": b"",
        "nested_total": '{"metadata":{"total_size":' + '{"a":' * 450 + "1" + "}" * 450 + '},"weight_map":3}',
        "deep": '{"metadata":' + "[" * 100_000 + "]" * 100_000 + ',"weight_map":{}}',
    }  # fmt: skip
    for name, index in texts.items():
        yield case(f"text_{name}", "error", "LP101", index)
