"""The model that a quantizer leaves: by the real library on the meta device, and as it is read from the text."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from msgspec import Struct

from loadproof.core.config import ModelConfig
from loadproof.core.device import device_of
from loadproof.core.dtypes import as_stored
from loadproof.core.families import names_of
from loadproof.interpret import expect
from loadproof.readers.transformers.private import loading_of
from tests.differential.quantized.models import CLASSES, config_of

MODEL = "the model's"
Row = tuple[tuple[int, ...], str, str]  # shape, dtype, parameter or buffer
Rule = tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class Replaced(Struct, frozen=True):
    """Names with shape, dtype and kind; the loading rules in order; parameters whose shape is not compared.

    `raises`: the class of the exception instead. `unknown`: why nothing can be said.
    """

    table: dict[str, Row] = {}
    rules: tuple[Rule, ...] = ()
    unchecked: frozenset[str] = frozenset()
    raises: str | None = None
    unknown: str | None = None


# ---------------------------------------------------------------- the real one
@contextmanager
def machine(device: str) -> Iterator[None]:
    """torch as it is on a machine with that device: it is only asked, as everything is built on the meta device."""
    import torch

    known = device_of(device)
    is_cuda = known.kind == "cuda"
    with ExitStack() as stack:
        answers = {"is_available": is_cuda, "device_count": int(is_cuda), "current_device": 0}
        for name, answer in {**answers, "get_device_capability": known.capability}.items():
            stack.enter_context(mock.patch.object(torch.cuda, name, return_value=answer))
        stack.enter_context(mock.patch.object(torch.backends.mps, "is_available", return_value=known.kind == "mps"))
        _forget()
        yield
    _forget()


def _forget() -> None:
    """The library keeps what it was told of the machine."""
    from transformers.utils import import_utils

    for function in vars(import_utils).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def real(model: str, entry: dict[str, Any], device: str) -> Replaced:
    import bitsandbytes  # noqa: F401 - it looks for compiled kernels where a GPU is pretended
    import compressed_tensors  # noqa: F401

    try:
        with machine(device):
            return _real(config_of(model, entry), CLASSES[model])
    except Exception as problem:
        return Replaced(raises=type(problem).__name__)


def _real(raw: dict[str, Any], class_name: str) -> Replaced:
    import torch
    import transformers
    from transformers.conversion_mapping import get_model_conversion_mapping
    from transformers.quantizers.auto import get_hf_quantizer

    config = _config(raw)
    quantizer, config, device_map = get_hf_quantizer(config, None, None, True, {})
    dtype = quantizer.update_dtype(_dtype(config))
    kernel = mock.patch("transformers.integrations.hub_kernels.get_kernel")
    with torch.device("meta"), _default(dtype), kernel:
        model = getattr(transformers, class_name)(config)
        quantizer.preprocess_model(
            model=model, dtype=dtype, device_map=device_map, checkpoint_files=None, use_kernels=False
        )
    rules = get_model_conversion_mapping(model, None, quantizer)
    names = [name for name, _ in model.named_parameters(remove_duplicate=False)]
    unchecked = frozenset(name for name in names if quantizer.param_needs_quantization(model, name))
    return Replaced(dict(_rows(model, dtype)), tuple(map(_rule, rules)), unchecked)


def _config(raw: dict[str, Any]) -> Any:
    from transformers import AutoConfig

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(raw))
        return AutoConfig.from_pretrained(folder)


def _dtype(config: Any) -> Any:
    import torch

    dtype = config.dtype or torch.float32
    for part in (config, *(getattr(config, key) for key in config.sub_configs)):
        if part is not None:
            part.dtype = dtype
    return dtype


@contextmanager
def _default(dtype: Any) -> Iterator[None]:
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _rows(model: Any, dtype: Any) -> Iterator[tuple[str, Row]]:
    def row(tensor: Any, kind: str) -> Row:
        own = MODEL if tensor.dtype == dtype else as_stored(str(tensor.dtype).removeprefix("torch."))
        return tuple(tensor.shape), own, kind

    for name, tensor in model.named_parameters(remove_duplicate=False):
        yield name, row(tensor, "parameter")
    for path, module in model.named_modules(remove_duplicate=False):
        for name, tensor in module._buffers.items():
            if tensor is not None and name not in module._non_persistent_buffers_set:
                yield f"{path}.{name}" if path else name, row(tensor, "buffer")


def _rule(rule: Any) -> Rule:
    operations = tuple(type(one).__name__ for one in getattr(rule, "operations", ()))
    return type(rule).__name__, tuple(rule.source_patterns), tuple(rule.target_patterns), operations


# ---------------------------------------------------------------- ours
def ours(model: str, entry: dict[str, Any], device: str, *, with_class: bool = True) -> Replaced:
    raw = config_of(model, entry)
    name = CLASSES[model] if with_class else None
    found = expect(ModelConfig("config.json", raw), "", class_name=name, use_cache=False, devices=(device,))
    if found.raises is not None:
        return Replaced(raises=found.raises.partition(":")[0])
    if found.quantizer is None or found.quantizer.inconclusive is not None or found.inconclusive is not None:
        why = found.inconclusive or (found.quantizer.inconclusive if found.quantizer else "no quantizer")
        return Replaced(unknown=why)
    plain = as_stored(str(raw.get("dtype", "float32")))
    table: dict[str, Row] = {}
    unchecked: set[str] = set()
    for family in found.families:
        dtype = MODEL if family.dtype in (None, plain) else family.dtype
        for one in names_of(family.template, family.axes):
            table[one] = (family.shape, dtype, family.kind)
            unchecked |= {one} if family.any_shape else set()
    rules = tuple((r.kind, r.sources, r.targets, tuple(o.name for o in r.operations)) for r in loading_of(found).rules)
    return Replaced(table, rules, frozenset(unchecked))
