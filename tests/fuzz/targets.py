"""What is fuzzed: one function a parser, which raises when a promise is broken, and the seeds to start from."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import NamedTuple

from loadproof.formats.header import read_header
from loadproof.formats.index import read_index
from loadproof.types import Problem
from tests.hostile import index_cases, safetensors_cases

LARGEST_SEED = 2000  # bytes


class Bytes:
    """A file in memory, with the interface of `loadproof.storage.GuardedFile`."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.size = len(content)

    def read(self, begin: int, length: int) -> bytes:
        return self.content[begin : begin + length]


class Target(NamedTuple):
    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    prefix: int = 0  # bytes in front that a mutator may set right afterwards


def check_header(content: bytes) -> None:
    """What we accept the official library accepts, and it fails exactly where we say so."""
    import safetensors

    problems = read_header(Bytes(content), "f").problems  # type: ignore[arg-type]
    try:
        safetensors.deserialize(content)
        accepted = True
    except Exception:
        accepted = False
    _compare(problems, accepted)


def check_index(content: bytes) -> None:
    """The same against the steps of transformers' get_checkpoint_shard_files."""
    _, problems = read_index(Bytes(content), "f")  # type: ignore[arg-type]
    try:
        index = json.loads(content.decode("utf-8"))
        shards = sorted(set(index["weight_map"].values()))
        index["metadata"]["all_checkpoint_keys"] = list(index["weight_map"].keys())
        accepted = bool([os.path.join("folder", shard) for shard in shards])
    except (Exception, RecursionError):
        accepted = False
    _compare(tuple(problem for problem in problems if problem.code == "LP101"), accepted)


def _compare(problems: tuple[Problem, ...], accepted: bool) -> None:
    is_error = any(problem.severity == "error" for problem in problems)
    breaks = any(problem.breaks for problem in problems)
    if not accepted and not is_error:
        raise AssertionError("we accept what the official reader refuses")
    if accepted == breaks:
        raise AssertionError(f"the official reader {'accepts' if accepted else 'refuses'}, we say {problems}")


def _header_seeds() -> list[bytes]:
    blobs = [content for case in safetensors_cases.cases() for content in case.files.values()]
    return [blob for blob in blobs if isinstance(blob, bytes) and 16 < len(blob) < LARGEST_SEED]


def _index_seeds() -> list[bytes]:
    texts = [case.files[index_cases.INDEX] for case in index_cases.cases()]
    raws = [text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text for text in texts]
    return [raw for raw in raws if isinstance(raw, bytes) and 0 < len(raw) < LARGEST_SEED]


TARGETS = {"header": Target(check_header, _header_seeds, 8), "index": Target(check_index, _index_seeds)}
