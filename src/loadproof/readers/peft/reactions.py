"""What peft raises over a fault of a file: a plain `json.load` of the configuration, and the safetensors library."""

from __future__ import annotations

from loadproof.core.checkpoint import Problem
from loadproof.core.known_names import ADAPTER_CONFIG
from loadproof.readers.safetensors import refusal

_NOT_JSON = {
    "syntax": "JSONDecodeError: Expecting value",
    "empty": "JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    "encoding": "UnicodeDecodeError: 'utf-8' codec can't decode",
    "not-object": "AttributeError: the configuration is no object",
}


def react(problem: Problem) -> str | None:
    """The exception that peft raises when it opens the file of this problem; None where it takes the file."""
    if problem.file == ADAPTER_CONFIG:
        return _NOT_JSON.get(problem.detail) if problem.severity == "error" else None
    return refusal(problem)
