"""Packages other than torch, numpy and transformers: their source is not read.

What such a package makes may be a module with parameters, so a model that keeps it is not understood. The few names
here are known to hold none.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from loadproof.interpret.language.objects import Foreign, Outward, SourceObject, Unknown
from loadproof.interpret.language.values import Value
from loadproof.interpret.shapes.layers import layers

# Data, text, pictures and kernels: nothing of theirs is a module with parameters.
_NAMES = (
    "PIL addict cv2 easydict einops huggingface_hub omegaconf packaging pandas psutil pydantic safetensors scipy "
    "sentencepiece tiktoken tokenizers torchvision.transforms tqdm triton yaml"
)
_MACHINE = (
    "asyncio ctypes glob json marshal pickle requests shelve shutil socket sqlite3 subprocess tempfile tomllib urllib"
)
_OUTWARD = frozenset(_MACHINE.split())
_WITHOUT_PARAMETERS = frozenset(_NAMES.split())
_DROP_PATHS = ("timm.layers.DropPath", "timm.models.layers.DropPath", "timm.layers.drop.DropPath")


def _pair(value: Value) -> Value:
    return tuple(value) if isinstance(value, (list, tuple)) else (value, value)


class AttributeDict(SourceObject):
    """`easydict.EasyDict` and `addict.Dict`: a dictionary whose keys are attributes, nested ones as well."""

    def __init__(self, values: Any = None, **more: Any) -> None:
        self.__dict__.update({key: _nested(value) for key, value in {**(values or {}), **more}.items()})

    def __getitem__(self, key: str) -> Any:
        return self.__dict__[key]

    def __setitem__(self, key: str, value: Value) -> None:
        self.__dict__[key] = value

    def __contains__(self, key: object) -> bool:
        return key in self.__dict__

    def __iter__(self) -> Value:
        return iter(self.__dict__)

    def get(self, key: str, default: Value = None) -> Value:
        return self.__dict__.get(key, default)

    def keys(self) -> Value:
        return self.__dict__.keys()

    def items(self) -> Any:
        return self.__dict__.items()


def _nested(value: Value) -> Value:
    if isinstance(value, dict):
        return AttributeDict(value)
    if type(value) is list:
        return [_nested(item) for item in value]
    return tuple(map(_nested, value)) if type(value) is tuple else value


KNOWN: dict[str, Value] = {
    **dict.fromkeys((*_DROP_PATHS, "timm.models.layers.drop.DropPath"), layers()["Dropout"]),
    **dict.fromkeys(("timm.layers.to_2tuple", "timm.models.layers.to_2tuple"), _pair),
    **dict.fromkeys(("easydict.EasyDict", "addict.Dict"), AttributeDict),
    "einops.layers.torch.EinMix": Foreign("einops.layers.torch.EinMix"),
}


def why_undefined(name: str, label: str, text: str) -> str:
    """Why a file lacks a name: it may be imported only where an optional package is installed."""
    found = re.search(rf"^[ \t]+(?:from ([\w.]+) import [^\n]*\b{name}\b|import {name}\b)", text, re.M)
    if found is None or (found.group(1) or "").startswith("."):
        return f"name {name!r} is not defined in {label}"
    return (
        f"a part of the model is made by the package {(found.group(1) or name).split('.')[0]}, whose source is not read"
    )


def module(name: str) -> Value:
    """What `import name` binds."""
    top = name.split(".")[0]
    if top in _OUTWARD:
        return Outward(name)
    if top in sys.stdlib_module_names or any(name == p or name.startswith(p + ".") for p in _WITHOUT_PARAMETERS):
        return Unknown(name)
    return Foreign(name)


def member(name: str, key: str) -> Value:
    """What `from name import key` binds."""
    full = f"{name}.{key}"
    return KNOWN[full] if full in KNOWN else module(full)
