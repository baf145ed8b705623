"""config.json -> ModelConfig. Whatever the file holds, the answer is a config with problems, never an exception."""

from __future__ import annotations

import os
import stat
from typing import Any

from msgspec.structs import replace

from loadproof.config.code import check_code
from loadproof.config.companions import check_companions
from loadproof.config.lines import line_of
from loadproof.config.parse import MAX_BYTES, parse_object
from loadproof.config.patterns import check_patterns
from loadproof.config.problems import INVALID, UNSAFE_PATH, fault
from loadproof.config.values import check_values
from loadproof.core.checkpoint import Inventory, Problem
from loadproof.core.config import ModelConfig

NAME = "config.json"


def read_config(inventory: Inventory) -> ModelConfig:
    """The checkpoint's config with everything that is wrong with it; `path` is None when there is none."""
    shown = os.path.join(inventory.root, NAME)
    not_json = f"OSError: It looks like the config file at '{shown}' is not a valid JSON file."
    data, problem = read_small(inventory, NAME)
    if problem is not None:
        return ModelConfig(NAME, {}, "", (problem,))
    if data is None:
        return ModelConfig(None, {}, "", tuple(check_companions(inventory, read_small)))
    raw, text, problems = parse_object(data, NAME, not_json)
    problems = [_no_model_type(problem, inventory) for problem in problems]
    config = ModelConfig(NAME, raw, text)
    problems += [_placed(problem, config) for problem in _content(raw)]
    return replace(config, problems=(*problems, *check_companions(inventory, read_small)))


def _content(raw: dict[str, Any]) -> list[Problem]:
    problems = [*check_values(raw, NAME), *check_code(raw, NAME)]
    for key in ("quantization_config", "compression_config"):
        problems += check_patterns(raw.get(key), NAME, key)
    return problems


def _no_model_type(problem: Problem, inventory: Inventory) -> Problem:
    """JSON that is no object is read, and then has no model_type."""
    if problem.detail != "not-object":
        return problem
    said = f"ValueError: Unrecognized model in {inventory.root}. Should have a `model_type` key in its config.json."
    return replace(problem, breaks=said)


def _placed(problem: Problem, config: ModelConfig) -> Problem:
    """With the line of the field that it names (`expected` holds the dotted path)."""
    path = tuple((problem.expected or "").split("."))
    return replace(problem, line=line_of(config, path)) if problem.expected else problem


def read_small(inventory: Inventory, name: str) -> tuple[bytes | None, Problem | None]:
    """The bytes of a small file beside the weights; (None, None) when it is absent, else a problem."""
    path = os.path.join(inventory.root, name)
    if not os.path.lexists(path):
        return None, None
    if not _stays_inside(path, inventory.root):
        return None, fault(UNSAFE_PATH, name, "symlink", f"{name} is a link out of the folder; it was not followed")
    try:
        return _read(path, name)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return None, fault(
            INVALID, name, "unreadable", f"{name} cannot be read: {reason}", breaks=f"{type(error).__name__}: {error}"
        )


def _read(path: str, name: str) -> tuple[bytes | None, Problem | None]:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # NONBLOCK: a FIFO must not hang us
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            said = f"OSError: {os.path.dirname(path)} does not appear to have a file named {name}."
            return None, fault(
                INVALID, name, "special", f"{name} is not a regular file", breaks=said if name == NAME else None
            )
        if status.st_size > MAX_BYTES:
            text = f"{name} has {status.st_size:,} bytes; more than {MAX_BYTES:,} are not read"
            return None, fault(INVALID, name, "huge", text)
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(MAX_BYTES + 1), None
    finally:
        os.close(descriptor)


def _stays_inside(path: str, root: str) -> bool:
    """Whether the file lies in the folder, or is a hub cache snapshot's link into the blobs of the same repository."""
    if not os.path.islink(path):
        return True
    real, folder = os.path.realpath(path), os.path.realpath(root)
    if real.startswith(folder + os.sep):
        return True
    repository = os.path.dirname(os.path.dirname(folder))
    is_snapshot = os.path.basename(os.path.dirname(folder)) == "snapshots"
    return is_snapshot and os.path.dirname(real) == os.path.join(repository, "blobs")
