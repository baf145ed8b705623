"""What a real `from_pretrained` on a CPU makes of a quantized checkpoint, values included, and what is foretold of it."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from loadproof.api import check
from loadproof.core.families import names_of
from loadproof.core.outcome import Outcome
from tests.differential.quantized.stored import Tensors, dense

KINDS = ("missing", "unexpected", "mismatched")


class Load(Struct, frozen=True):
    """`wrong`: parameters whose numbers are not those of the dense model, though no row says so."""

    raises: bool
    sets: dict[str, frozenset[str]] = {}
    wrong: frozenset[str] = frozenset()
    error: str = ""


def write(folder: Path, tensors: Tensors, config: dict[str, Any]) -> Path:
    from safetensors.torch import save_file

    folder.mkdir(parents=True)
    stored = {name: one.contiguous().clone() for name, one in tensors.items()}
    save_file(stored, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def really(folder: Path, model: str) -> Load:
    import transformers

    found: Any = None
    errors = []
    for options in ({}, {"ignore_mismatched_sizes": True}):
        try:
            made, info = transformers.AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True, **options)
            found = made, info
            break
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")
    if found is None:
        return Load(True, error=errors[0])
    made, info = found
    mismatched = frozenset(row[0] for row in info["mismatched_keys"])
    sets = {"missing": frozenset(info["missing_keys"]), "unexpected": frozenset(info["unexpected_keys"])}
    rows = sets["missing"] | mismatched
    wrong = frozenset(name for name in _wrong(made, model) if not {name, f"{name}_scale", f"{name}_scale_inv"} & rows)
    return Load(bool(errors), {**sets, "mismatched": mismatched}, wrong, errors[0] if errors else "")


@cache
def _reference(model: str) -> dict[str, Any]:
    import tempfile

    import transformers

    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "dense", *dense(model))
        return dict(transformers.AutoModelForCausalLM.from_pretrained(f"{folder}/dense").named_parameters())


def _wrong(made: Any, model: str) -> list[str]:
    """Parameters of the dense model that are far from it, or hold codes that nothing would scale."""
    found = []
    named = dict(made.named_parameters())
    for name, wanted in _reference(model).items():
        value = named.get(name)
        if value is not None and _is_wrong(made, name, value, wanted.detach().float()):
            found.append(name)
    return found


def _is_wrong(made: Any, name: str, value: Any, wanted: Any) -> bool:
    import bitsandbytes

    module = made.get_submodule(name.rpartition(".")[0])
    scale = getattr(module, "weight_scale_inv", getattr(module, "weight_scale", None))
    if getattr(value, "quant_state", None) is not None:
        value = bitsandbytes.functional.dequantize_4bit(value.data, value.quant_state)
    elif getattr(value, "SCB", None) is not None and isinstance(module, bitsandbytes.nn.Linear8bitLt):
        value = value.data.float() * value.SCB[:, None] / 127
    elif name.endswith(".weight") and scale is not None and _is_compressed(module):
        value = value.detach().float() * scale.detach().float()
    value = value.detach().float()
    if value.shape != wanted.shape:
        return True
    return not (value - wanted).norm() / (wanted.norm() + 1e-9) < 0.2


def _is_compressed(module: Any) -> bool:
    """Whether compressed_tensors will scale the weight of the module; a frozen one holds plain numbers."""
    return getattr(getattr(module, "quantization_status", None), "value", "") == "compressed"


def foretold(folder: Path) -> tuple[Load, Outcome, str]:
    report = check(folder, device="cpu", use_cache=False)
    outcome = report.case.outcome
    sets = {kind: _names(outcome, kind) for kind in KINDS}
    return Load(outcome.raises, sets, _names(outcome, "misread"), outcome.error or ""), outcome, report.verdict


def _names(outcome: Outcome, kind: str) -> frozenset[str]:
    return frozenset(n for row in outcome.rows if row.kind == kind for n in names_of(row.template, row.axes))
