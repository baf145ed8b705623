"""What is fuzzed: one function a parser, which raises when a promise is broken, and the seeds to start from."""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from loadproof.config.code import check_code
from loadproof.config.lines import line_of
from loadproof.config.parse import parse_object
from loadproof.config.patterns import check_patterns
from loadproof.config.plan.reading import plan_from_config
from loadproof.config.values import check_values
from loadproof.core.checkpoint import Problem
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.formats.header import read_header
from loadproof.formats.index import read_index
from loadproof.interpret.evaluation import evaluate
from loadproof.interpret.language import limits
from loadproof.interpret.release.disk import Disk, on_disk
from loadproof.interpret.release.files import Kind
from loadproof.interpret.release.world import World
from loadproof.readers.transformers.reactions import react
from loadproof.storage.memory import MemoryFile
from tests.fuzz import programs
from tests.hostile import index_cases, safetensors_cases, source_cases

LARGEST_SEED = 2000  # bytes


class Target(NamedTuple):
    check: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    prefix: int = 0  # bytes in front that a mutator may set right afterwards
    mutate: Callable[[random.Random, bytes], bytes] | None = None  # instead of damage to bytes
    depths: Callable[[], str] = str  # how far the inputs got


def check_header(content: bytes) -> None:
    """What we accept the official library accepts, and it fails exactly where we say so."""
    import safetensors

    problems = read_header(MemoryFile(content), "f").problems
    try:
        safetensors.deserialize(content)
        accepted = True
    except Exception:
        accepted = False
    _compare(problems, accepted)


def check_index(content: bytes) -> None:
    """The same against the steps of transformers' get_checkpoint_shard_files."""
    _, problems = read_index(MemoryFile(content), "f")
    try:
        index = json.loads(content.decode("utf-8"))
        shards = sorted(set(index["weight_map"].values()))
        index["metadata"]["all_checkpoint_keys"] = list(index["weight_map"].keys())
        accepted = bool([os.path.join("folder", shard) for shard in shards])
    except (Exception, RecursionError):
        accepted = False
    _compare(tuple(problem for problem in problems if problem.code == "LP101"), accepted)


def check_config(content: bytes) -> None:
    """Whatever a config holds: no exception; what we find no fault with is JSON to the official reader as well."""
    raw, text, problems = parse_object(content, "config.json", "not JSON")
    try:
        accepted = isinstance(json.loads(content.decode("utf-8")), dict)
    except (ValueError, RecursionError):
        accepted = False
    if accepted == any(map(react, problems)):
        raise AssertionError(f"json.loads {'accepts' if accepted else 'refuses'} it, we say {problems}")
    config = ModelConfig("config.json", raw, text)
    found = [*problems, *check_values(raw, "config.json"), *check_code(raw, "config.json")]
    found += check_patterns(raw.get("quantization_config"), "config.json", "quantization_config")
    for problem in found:
        if len(problem.text) > 1_000:
            raise AssertionError("a problem's text is as long as the file allows")
        line_of(config, tuple((problem.expected or "").split(".")))
    if not any(problem.detail == "bound" for problem in found):
        plan_from_config(config, Expectation("transformers", "", "", "", "none"))


def check_source(content: bytes) -> None:
    """Whatever a source says, the evaluator gives an answer; every answer is made of plain data."""
    raw = {"model_type": "evil", "architectures": ["EvilModel"], "auto_map": source_cases.AUTO_MAP, "hidden_size": 4}
    blank = Expectation("transformers", "5", "", "", "installed")
    with _small_limits():
        found = evaluate(_world(content), raw, blank, None)
    _DEPTHS.add(found)
    if found.raises is None and found.inconclusive is None and not found.class_name:
        raise AssertionError("an answer without a class")
    json.dumps(found.config)
    for family in found.families:
        if type(family.template) is not str or not all(type(n) is int and n >= 0 for n in family.shape):
            raise AssertionError(f"not plain: {family}")


_SMALL = {
    "STEPS": 3_000, "SECONDS": 0.5, "ITEMS": 10_000, "TOTAL_ITEMS": 100_000, "WHILE_ITERATIONS": 400, "LAYERS": 300,
    "CLASSES": 100, "TENSORS": 10_000,
}  # fmt: skip


@contextmanager
def _small_limits() -> Iterator[None]:
    """So that an input that loops ends within the second that it may take."""
    before = {name: getattr(limits, name) for name in _SMALL}
    try:
        limits.process_time = time.perf_counter  # a call of the system for each input costs more than the evaluation
        for name, value in _SMALL.items():
            setattr(limits, name, value)
        yield
    finally:
        limits.process_time = time.process_time
        for name, value in before.items():
            setattr(limits, name, value)


class InMemory:
    """A release on disk and the text of one file beside it: opening three files takes longer than an evaluation."""

    def __init__(self, content: bytes) -> None:
        self.content, self.disk = content, _release_on_disk()

    def list(self, folder: str) -> dict[str, Kind]:
        return {"modeling_evil.py": "file"} if folder == "remote" else self.disk.list(folder)

    def read(self, file: str) -> bytes | None:
        return self.content if file == "remote/modeling_evil.py" else self.disk.read(file)


@cache
def _release_on_disk() -> Disk:
    disk = on_disk(str(_release()), is_trusted=True)
    disk.read = cache(disk.read)  # type: ignore[method-assign]
    return disk


def _world(content: bytes) -> World:
    """The base classes of the release are read anew only for every 50th input: that takes longer than most inputs do."""
    if _WORLDS.get("uses", 0) % 50 == 0:
        _WORLDS["world"] = World(InMemory(b""))
        _WORLDS["world"].path = cache(_WORLDS["world"].path)  # no file comes or goes
    _WORLDS["uses"] = _WORLDS.get("uses", 0) + 1
    world: World = _WORLDS["world"]
    world.files.content = content  # type: ignore[attr-defined]
    for name in [name for name in world.modules if name.startswith("remote")]:
        del world.modules[name]
    return world


_WORLDS: dict[str, Any] = {}


class Depths:
    """How far inputs get: most fuzzers of a language test only its syntax errors."""

    def __init__(self) -> None:
        self.counts = {"inputs": 0, "past parsing": 0, "over 20 steps": 0, "over 200 steps": 0, "built a model": 0}

    def add(self, found: Expectation) -> None:
        steps = limits.current().steps
        unparsed = (found.inconclusive or "").startswith("the model source cannot be parsed")
        built = found.raises is None and found.inconclusive is None
        for name, holds in zip(self.counts, (True, not unparsed, steps > 20, steps > 200, built), strict=True):
            self.counts[name] += holds

    def report(self) -> str:
        total = self.counts["inputs"]
        return (
            ", ".join(f"{name} {count / total:.1%}" for name, count in list(self.counts.items())[1:]) if total else ""
        )


_DEPTHS = Depths()


@cache
def _source_folder() -> Path:
    """A folder in which the code seems to lie; its text is handed over in memory."""
    folder = Path(tempfile.mkdtemp(prefix="loadproof-fuzz-"))
    (folder / "modeling_evil.py").touch()
    return folder


@cache
def _release() -> Path:
    """A release of a few lines: what remote code needs of one, without its megabytes."""
    return programs.tiny_release(_source_folder() / "release" / "transformers")


def _compare(problems: tuple[Problem, ...], accepted: bool) -> None:
    is_error = any(problem.severity == "error" for problem in problems)
    breaks = any(map(react, problems))
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


def _config_seeds() -> list[bytes]:
    return [json.dumps(config).encode() for config in programs.CONFIGS]


def _source_seeds() -> list[bytes]:
    cases = {**source_cases.ESCAPES, **source_cases.INERT, **source_cases.COUNTED}
    slow = {"contains_itself", "count"}  # end at limits of their own, which are not made small here
    return [source_cases.source(body).encode() for name, body in cases.items() if name not in slow]


TARGETS = {
    "header": Target(check_header, _header_seeds, 8),
    "index": Target(check_index, _index_seeds),
    "config": Target(check_config, _config_seeds, mutate=programs.mutate_json),
    "source": Target(check_source, _source_seeds, mutate=programs.mutate_source, depths=_DEPTHS.report),
}
