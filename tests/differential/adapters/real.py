"""The real libraries on CPU: bases, adapters, and what loading one does."""

from __future__ import annotations

import copy
import json
import os
import re
import warnings
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tests.differential.adapters.bases import ALL, BASES
from tests.differential.adapters.damage import Config, Tensors
from tests.differential.adapters.methods import methods

_DTYPES = {"F32": "float32", "I64": "int64", "I32": "int32", "BF16": "bfloat16", "F16": "float16", "BOOL": "bool"}


@dataclass(frozen=True)
class Adapter:
    """`dtypes` are those of the tensors that are no float32."""

    base: str
    config: Config
    tensors: Tensors
    dtypes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Truth:
    """What `PeftModel.from_pretrained` did. `fates`: parameter of the adapter -> file, zero, one or other."""

    error: str | None = None
    fates: dict[str, str] = field(default_factory=dict)
    unexpected: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    expected: dict[str, tuple[int, ...]] = field(default_factory=dict)


def base_of(name: str) -> Any:
    import transformers

    found = ALL[name]
    config = transformers.AutoConfig.for_model(**copy.deepcopy(found.config))
    return getattr(transformers, found.auto).from_config(config)


@cache
def raw_of(name: str) -> dict[str, Any]:
    """config.json of the base."""
    return {"architectures": [type(base_of(name)).__name__], **ALL[name].config}


@cache
def healthy(base: str, method: str) -> Adapter | None:
    """The adapter as the real library saves it; None where it cannot be put on this base."""
    import peft

    kind, fields = methods(BASES[base].words)[method]
    try:
        model = peft.get_peft_model(
            base_of(base), getattr(peft, kind)(task_type=BASES[base].task, **copy.deepcopy(fields))
        )
    except (ValueError, AttributeError, KeyError, TypeError, AssertionError, RuntimeError, IndexError):
        return None
    saved = peft.get_peft_model_state_dict(model)
    config = json.loads(json.dumps(model.peft_config["default"].to_dict(), default=_plain))
    config = {**config, "inference_mode": True, "base_model_name_or_path": "base"}
    shapes = {name: tuple(t.shape) for name, t in saved.items()}
    return Adapter(base, config, shapes, {name: t.dtype for name, t in saved.items()})


def _plain(value: Any) -> Any:
    return sorted(value) if isinstance(value, set) else getattr(value, "value", str(value))


def write(adapter: Adapter, folder: Path) -> Path:
    """The folder of the adapter with its base's config.json below it."""
    import torch
    from safetensors.torch import save_file

    made = {n: torch.full(s, 3, dtype=adapter.dtypes.get(n, torch.float32)) for n, s in adapter.tensors.items()}
    (folder / "base").mkdir(parents=True, exist_ok=True)
    save_file(made, folder / "adapter_model.safetensors", {"format": "pt"})
    (folder / "adapter_config.json").write_text(json.dumps(adapter.config, indent=2))
    (folder / "base" / "config.json").write_text(json.dumps(raw_of(adapter.base)))
    return folder


def load(folder: Path, base: str) -> Truth:
    """Load it for real, and look at every parameter."""
    import peft
    import torch
    from peft import PeftModel

    model = base_of(base)
    own = {_unnumbered(name) for name in model.state_dict()}
    seen: dict[str, Any] = {}
    plain = torch.nn.Module.load_state_dict

    def recording(self: Any, state: Any, *args: Any, **options: Any) -> Any:
        found = plain(self, state, *args, **options)
        if isinstance(self, PeftModel):
            seen.update(given=set(state), unexpected=list(found.unexpected_keys))
        return found

    torch.nn.Module.load_state_dict = recording  # type: ignore[method-assign]
    above = os.environ.get("HF_HUB_OFFLINE")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = PeftModel.from_pretrained(model, str(folder))
            said = [str(w.message) for w in caught]
        try:
            saved = peft.get_peft_model_state_dict(made, save_embedding_layers=False)
            expected = {name: tuple(t.shape) for name, t in saved.items()}
        except Exception:
            expected = {}
    except Exception as problem:
        return Truth(error=f"{type(problem).__name__}: {problem}")
    finally:
        torch.nn.Module.load_state_dict = plain  # type: ignore[method-assign]
        assert os.environ.get("HF_HUB_OFFLINE") == above
    given = seen.get("given", set())
    fates = {n: _fate(n, t, given) for n, t in made.state_dict().items() if _is_adapters(n, own, given)}
    return Truth(fates=fates, unexpected=seen.get("unexpected", []), warnings=said, expected=expected)


def _fate(name: str, tensor: Any, given: set[str]) -> str:
    if name in given or ("prompt_encoder" in name and tensor.numel() and bool((tensor == 3).all())):
        return "file"
    if tensor.numel() and bool((tensor == 0).all()):
        return "zero"
    return "one" if tensor.numel() and bool((tensor == 1).all()) else "other"


def _is_adapters(name: str, own: set[str], given: set[str]) -> bool:
    if name.startswith("word_embeddings."):
        return False
    short = _unnumbered(name.replace(".base_layer", "").replace(".original_module", ""))
    is_own = any(short.removeprefix(prefix) in own for prefix in ("base_model.model.", "base_model."))
    return name in given or not is_own


def _unnumbered(name: str) -> str:
    return re.sub(r"\d+", "N", name)
