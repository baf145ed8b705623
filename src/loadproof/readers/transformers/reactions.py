"""What transformers raises over a fault of a file: its own texts, and those of Python, torch and safetensors below it.

A table by code and detail. The index is read with a plain ``json.loads``, then ``index["metadata"]`` and
``sorted(set(index["weight_map"].values()))`` are taken (utils/hub.py:966-971 of 5.24): duplicate keys and unsafe paths pass
without a word. A weight file that is no safetensors file goes to ``torch.load``.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from loadproof.core.checkpoint import Problem
from loadproof.core.known_names import CONFIG
from loadproof.formats.impostor import OTHER
from loadproof.readers.safetensors import refusal

Said = str | Callable[[Problem], str | None]

_NO_SUCH_FILE = "FileNotFoundError: No such file or directory"
_NO_METHOD = (
    "ValueError: The model's quantization config from the arguments has no `quant_method` attribute. Make sure that the "
    "model has been correctly quantized"
)
_NEVER_TORCH = (".safetensors", ".json")


def react(problem: Problem) -> str | None:
    """The exception that transformers raises when it opens the file of this problem; None where it takes the file."""
    if problem.particular == OTHER:
        from loadproof.readers.torch_files import not_torch

        return not_torch(problem)
    said = _SAID.get((problem.code, problem.detail))
    if said is None:
        return refusal(problem) or _refused_by_torch(problem)
    return said if isinstance(said, str) else said(problem)


def _refused_by_torch(problem: Problem) -> str | None:
    if problem.file.endswith(_NEVER_TORCH):
        return None
    from loadproof.readers.torch_files import refusal as refusal_of_torch

    return refusal_of_torch(problem)


def _pointer(problem: Problem) -> str | None:
    """In place of an index the text of a pointer is no JSON; in place of weights it is no header."""
    is_index = problem.file.endswith(".json")
    return "JSONDecodeError: Expecting value: line 1 column 1 (char 0)" if is_index else refusal(problem)


def _cannot_open(text: str) -> Callable[[Problem], str | None]:
    return lambda problem: f"{text}: {problem.particular}"


def _denied(problem: Problem) -> str:
    """So the safetensors library says of every file that it cannot open."""
    text = _NO_SUCH_FILE if problem.file.endswith(".safetensors") else "PermissionError: Permission denied"
    return f"{text}: {problem.particular}"


def _dangling(problem: Problem) -> str:
    return _unrecognised(problem) if problem.file == CONFIG else f"{_NO_SUCH_FILE}: {problem.particular}"


def _unrecognised(problem: Problem) -> str:
    """What AutoConfig says where there is no config.json, or one without a model_type."""
    folder = os.path.dirname(problem.particular)
    return f"ValueError: Unrecognized model in {folder}. Should have a `model_type` key in its config.json."


def _special(problem: Problem) -> str | None:
    return _unrecognised(problem) if problem.file == CONFIG else None


def _not_json(problem: Problem) -> str:
    if problem.file != CONFIG:
        return f"'{problem.file}' is not a valid JSON file."
    return f"OSError: It looks like the config file at '{problem.particular}' is not a valid JSON file."


def _not_object(problem: Problem) -> str:
    """JSON that is no object is read, and then has no model_type."""
    return _unrecognised(problem) if problem.file == CONFIG else _not_json(problem)


def _raised(kind: str) -> Callable[[Problem], str | None]:
    """An exception of Python whose message was kept."""
    return lambda problem: f"{kind}: {problem.particular}" if problem.particular else None


def _config_type(problem: Problem) -> str | None:
    """`AutoQuantizationConfig.from_dict` asks what it is given for `to_dict` (quantizers/auto.py:162 of 5.24)."""
    kind = problem.particular
    return f"AttributeError: '{kind}' object has no attribute 'to_dict'" if kind else None


def _dtype(problem: Problem) -> str | None:
    if not problem.particular:
        return None
    return f"AttributeError: module 'torch' has no attribute '{problem.particular.removeprefix('torch.')}'"


def _metadata_type(problem: Problem) -> str:
    if problem.found == "list":
        return "TypeError: list indices must be integers or slices, not str"
    return f"TypeError: '{problem.found}' object does not support item assignment"


def _value_type(problem: Problem) -> str:
    """What ``sorted(set(weight_map.values()))`` says to a value that is not a string."""
    if problem.particular in ("list", "dict"):
        return f"TypeError: unhashable type: '{problem.particular}'"
    return f"TypeError: '<' not supported between instances of '{problem.particular}' and 'str'"


_SAID: dict[tuple[str, str], Said] = {
    ("LP001", "lfs-pointer"): _pointer,
    ("LP013", "encoding"): _not_json,
    ("LP013", "syntax"): _not_json,
    ("LP013", "empty"): _not_json,
    ("LP013", "depth"): _raised("RecursionError"),
    ("LP013", "number"): _raised("ValueError"),
    ("LP013", "not-object"): _not_object,
    ("LP013", "permission"): lambda problem: f"PermissionError: [Errno 13] Permission denied: '{problem.particular}'",
    ("LP013", "io-error"): lambda problem: f"OSError: [Errno 5] Input/output error: '{problem.particular}'",
    ("LP013", "special"): _special,
    ("LP014", "type"): _config_type,
    ("LP014", "lacks"): _NO_METHOD,
    ("LP014", "dtype"): _dtype,
    ("LP101", "bom"): "JSONDecodeError: Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
    ("LP101", "utf-8"): _raised("UnicodeDecodeError"),
    ("LP101", "nesting"): _raised("RecursionError"),
    ("LP101", "number"): _raised("ValueError"),
    ("LP101", "json"): _raised("JSONDecodeError"),
    ("LP101", "no-object"): "TypeError: list indices must be integers or slices, not str",
    ("LP101", "no-metadata"): "KeyError: 'metadata'",
    ("LP101", "metadata-type"): _metadata_type,
    ("LP101", "no-weight-map"): "KeyError: 'weight_map'",
    ("LP101", "weight-map-type"): lambda problem: f"AttributeError: '{problem.found}' object has no attribute 'values'",
    ("LP101", "empty-weight-map"): "IndexError: list index out of range",
    ("LP101", "value-type"): _value_type,
    ("LP102", "absent"): _cannot_open(_NO_SUCH_FILE),
    ("LP102", "permission"): _denied,
    ("LP102", "io-error"): _cannot_open("OSError: Input/output error"),
    ("LP102", "not-a-folder"): _cannot_open("NotADirectoryError: Not a directory"),
    ("LP110", "link-loop"): _cannot_open(_NO_SUCH_FILE),
    ("LP110", "socket"): _cannot_open(_NO_SUCH_FILE),
    ("LP110", "folder"): _cannot_open("OSError: No such device"),
    # a path in the index; one from / or through .. is followed where it exists
    ("LP110", "nul-byte"): "ValueError: embedded null byte",
    ("LP110", "too-long"): "OSError: File name too long",
    ("LP110", "url"): _NO_SUCH_FILE,
    ("LP110", "windows-path"): _NO_SUCH_FILE,
    ("LP110", "lone-surrogate"): _NO_SUCH_FILE,
    ("LP110", "empty-path"): "IsADirectoryError: Is a directory",
    ("LP114", "dangling-link"): _dangling,
}
