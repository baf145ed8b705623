"""The adapter's folder as peft sees it: two files, held in memory. No path is opened for evaluated code."""

from __future__ import annotations

import posixpath
from typing import Any

from loadproof.interpret.language.copying import deep_copy
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.language.objects import Namespace
from loadproof.interpret.language.values import Names, Open, Value
from loadproof.interpret.shapes.dtypes import DType
from loadproof.interpret.shapes.tensor import Tensor
from loadproof.interpret.worlds.peft.question import StoredTensor

CONFIG, WEIGHTS = "adapter_config.json", "adapter_model.safetensors"
LABEL = "adapter"  # the name of the folder, whatever it is called
_DTYPES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "BOOL": "bool",
    "U8": "uint8",
    **{f"I{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
}


class Folder:
    """`config` is None where there is no configuration, `tensors` where there is no weight file."""

    def __init__(self, config: Any, tensors: dict[str, StoredTensor] | None) -> None:
        self.config, self.tensors = config, tensors

    def holds(self, path: Value) -> bool:
        """What `os.path.exists` answers."""
        name = posixpath.basename(str(path))
        if name == CONFIG:
            return self.config is not None
        return (name == WEIGHTS and self.tensors is not None) or str(path) == LABEL

    def load_file(self, *_: Value, **__: Value) -> Value:
        """`safetensors.torch.load_file`: the tensors in the order of their names."""
        return {name: _tensor(name, stored) for name, stored in sorted((self.tensors or {}).items())}

    def load_json(self, *_: Value, **__: Value) -> Value:
        copy: Value = deep_copy(self.config)
        return copy


class Handle(Open):
    """What `open` gives; only `json.load` can read it."""

    def __enter__(self) -> Value:
        return self

    def __exit__(self, *_: Value) -> None:
        return None


def open_file(path: Value, *_: Value, **__: Value) -> Handle:
    """The builtin `open`. Raises NotUnderstood for every file but the configuration."""
    if posixpath.basename(str(path)) != CONFIG:
        raise NotUnderstood(f"the file {str(path)[:100]} is not looked at")
    return Handle()


def paths(folder: Any) -> Namespace:
    """`os.path` over the folder that `folder()` names."""
    members: Names = {
        "join": lambda *parts: posixpath.join(*map(str, parts)),
        "exists": lambda path: folder().holds(path),
        "isfile": lambda path: folder().holds(path),
        "isdir": lambda path: str(path) == LABEL,
        "basename": lambda path: posixpath.basename(str(path)),
        "dirname": lambda path: posixpath.dirname(str(path)),
        "split": lambda path: posixpath.split(str(path)),
    }
    return Namespace("os.path", members)


def _tensor(name: str, stored: StoredTensor) -> Tensor:
    made = Tensor(tuple(stored.shape))
    made.fill, made.origin, made.own_dtype = "file", (name,), DType(_DTYPES.get(stored.dtype, stored.dtype.lower()))
    return made
