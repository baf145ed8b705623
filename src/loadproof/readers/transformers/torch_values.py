"""What transformers makes of a torch file that holds more, or something else, than dense tensors by name.

It takes the outermost dict as the state dict (`load_state_dict`, modeling_utils.py:317 of 5.24): a nested one is one unexpected
name. Where neither call nor config names a dtype, releases from 5.0 look for the first floating-point tensor of the first
file, and ask every value before it whether it is one (`get_state_dict_dtype`, modeling_utils.py:258).
"""

from __future__ import annotations

from loadproof.core.checkpoint import Manifest
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.core.families import split_name
from loadproof.core.outcome import Outcome
from loadproof.core.tensors import UNDER, StoredValue
from loadproof.readers.transformers.release import parse

_NO_DATA = "NotImplementedError: Cannot copy out of meta tensor; no data!"
_REFUSED = {  # a kind of tensor -> what is raised when it reaches a parameter
    "meta tensor": _NO_DATA,
    "sparse tensor": "NotImplementedError: Cannot access storage of SparseTensorImpl",
    "quantized tensor": "RuntimeError: Creation of quantized tensor requires quantized dtype like torch.quint8",
}


def raised_before_names(manifest: Manifest, config: ModelConfig, expectation: Expectation) -> str | None:
    """The exception that comes before any name is compared; None where there is none."""
    if not manifest.values or not manifest.format.startswith("torch"):
        return None
    reads_dtype = parse(expectation.version)[0] >= 5 and not _names_dtype(config)
    first = manifest.files[0].path if manifest.files else ""
    if reads_dtype and (error := _no_dtype([value for value in manifest.values if value.file == first])):
        return error
    if bare := next((value for value in manifest.values if not value.name), None):
        return _no_state_dict(bare)
    keys = (value.kind.removeprefix(UNDER) for value in manifest.values if value.kind.startswith(UNDER))
    return next((f"AttributeError: '{kind}' object has no attribute 'split'" for kind in keys), None)


def _names_dtype(config: ModelConfig) -> bool:
    return any(config.raw.get(field) is not None for field in ("dtype", "torch_dtype"))


def _no_dtype(values: list[StoredValue]) -> str | None:
    if any(value.kind == "quantized tensor" for value in values):
        return "NotImplementedError: Could not run 'aten::_empty_affine_quantized' with arguments from the 'QuantizedMeta' backend."
    first = next((value for value in values if value.comes_first), None)
    if first is None or first.kind.startswith(UNDER):
        return None
    if not first.name:
        return f"AttributeError: '{first.kind}' object has no attribute 'values'"
    return f"AttributeError: '{first.kind}' object has no attribute 'is_floating_point'"


def _no_state_dict(value: StoredValue) -> str:
    if value.kind in ("list", "tuple"):
        return "ValueError: dictionary update sequence element #0 has another length than 2"
    return f"TypeError: '{value.kind}' object is not iterable"


def raised_by_tensors(manifest: Manifest, outcome: Outcome) -> Outcome:
    """The outcome where a tensor without plain bytes reaches a parameter."""
    from msgspec.structs import replace

    reached = {found.stored for found in outcome.assignments}
    for value in manifest.values:
        if not value.kind.endswith(" tensor") or split_name(value.name)[0] not in reached:
            continue
        error = _REFUSED.get(value.kind)
        if error is not None:
            return replace(outcome, raises=True, error=error)
        return replace(outcome, inconclusive=f"{value.name} is a {value.kind}; what loading makes of it is not known")
    return outcome
