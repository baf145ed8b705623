"""config.json -> ModelConfig. Whatever the file holds, the answer is a config with problems, never an exception."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from loadproof.config.code import check_code
from loadproof.config.companions import adapter_values, check_companions
from loadproof.config.lines import line_of
from loadproof.config.parse import MAX_BYTES, parse_object
from loadproof.config.patterns import check_patterns
from loadproof.config.problems import DANGLING, INVALID, UNSAFE_PATH, fault, few, withheld
from loadproof.config.values import check_values
from loadproof.core.checkpoint import Inventory, Problem
from loadproof.core.config import ModelConfig
from loadproof.core.known_names import ADAPTER_CONFIG
from loadproof.storage import Storage, UnreadableError, place_of

NAME = "config.json"


def read_config(storage: Storage, inventory: Inventory) -> ModelConfig:
    """The checkpoint's config with everything that is wrong with it; `path` is None when there is none."""
    read = partial(read_small, storage)
    data, problem = read(NAME)
    if problem is not None:
        return ModelConfig(NAME, {}, "", (problem,))
    if data is None:
        return ModelConfig(None, {}, "", tuple(check_companions(inventory, read)))
    raw, text, problems = parse_object(data, NAME, place_of(storage, NAME))
    if any(info.path == NAME and info.link for info in inventory.files):
        problems = list(map(withheld, problems))
    config = ModelConfig(NAME, raw, text)
    problems += [_placed(problem, config) for problem in few(_content(raw))]
    return replace(config, problems=(*problems, *check_companions(inventory, read)))


def read_adapter_config(storage: Storage) -> ModelConfig:
    """The same for adapter_config.json, where the folder is that of an adapter."""
    data, problem = read_small(storage, ADAPTER_CONFIG)
    if problem is not None:
        return ModelConfig(ADAPTER_CONFIG, {}, "", (problem,))
    if data is None:
        return ModelConfig(None, {}, "")
    raw, text, problems = parse_object(data, ADAPTER_CONFIG, place_of(storage, ADAPTER_CONFIG))
    problems += adapter_values(raw, ADAPTER_CONFIG)
    return ModelConfig(ADAPTER_CONFIG, raw, text, tuple(problems))


def config_of_text(text: str, before: ModelConfig) -> ModelConfig:
    """The config with another text in place of its own; what is wrong with the files beside it stays."""
    if before.path == ADAPTER_CONFIG:
        raw, text, problems = parse_object(text.encode(), ADAPTER_CONFIG, ADAPTER_CONFIG)
        return ModelConfig(ADAPTER_CONFIG, raw, text, (*problems, *adapter_values(raw, ADAPTER_CONFIG)))
    raw, text, problems = parse_object(text.encode(), NAME, NAME)
    config = ModelConfig(NAME, raw, text)
    problems += [_placed(problem, config) for problem in few(_content(raw))]
    return replace(config, problems=(*problems, *(old for old in before.problems if old.file != NAME)))


def _content(raw: dict[str, Any]) -> Iterator[Problem]:
    yield from check_values(raw, NAME)
    yield from check_code(raw, NAME)
    for key in ("quantization_config", "compression_config"):
        yield from check_patterns(raw.get(key), NAME, key)


def _placed(problem: Problem, config: ModelConfig) -> Problem:
    """With the line of the field that it names (`expected` holds the dotted path)."""
    path = tuple((problem.expected or "").split("."))
    return replace(problem, line=line_of(config, path)) if problem.expected else problem


def read_small(storage: Storage, name: str) -> tuple[bytes | None, Problem | None]:
    """The bytes of a small file beside the weights; (None, None) when it is absent, else a problem.

    A link to nothing is no file (the inventory has said so).
    """
    try:
        with storage.open(name) as opened:
            if opened.size > MAX_BYTES:
                text = f"{name} has {opened.size:,} bytes; more than {MAX_BYTES:,} are not read"
                return None, fault(INVALID, name, "huge", text)
            return opened.read(0, opened.size), None
    except UnreadableError as error:
        return None, _not_read(storage, name, error)


def _not_read(storage: Storage, name: str, error: UnreadableError) -> Problem | None:
    place = place_of(storage, name)
    if error.kind == "dangling-link" and name == NAME:
        return fault(DANGLING, name, error.kind, f"the file {error.reason}", particular=place)
    if error.kind in ("absent", "dangling-link", "not-a-folder"):
        return None
    if error.kind == "link-outside":
        return fault(UNSAFE_PATH, name, "symlink", f"{name} {error.reason}")
    if error.kind in ("permission", "io-error"):
        return fault(INVALID, name, error.kind, f"{name} {error.reason}", particular=place)
    return fault(INVALID, name, "special", f"{name} {error.reason}", particular=place)
