"""LP602 quant-config-stale: the config declares a quantization that the tensors do not have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from loadproof.config import where
from loadproof.config.quantization import TAKE_DENSE, keeps_dense, method_of
from loadproof.core.case import Case
from loadproof.core.config import JsonPath
from loadproof.core.edits import DeleteJson, Fix, SetJson
from loadproof.core.families import names_of, show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import in_files
from loadproof.lexicon.companions import dense_name
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantization_config import proved_config
from loadproof.rules.evidence.quantized_layout import (
    METHOD_WORDS,
    Layout,
    declared,
    is_companion,
    packed_families,
    stored_layout,
)
from loadproof.rules.quantization.quant_method import skipped_method

# Methods whose checkpoints cannot do without packed or scaled tensors.
_STORED = (
    "bitsandbytes",
    "gptq",
    "awq",
    "fp8",
    "fbgemm_fp8",
    "compressed-tensors",
    "mxfp4",
    "modelopt",
    "modelopt_fp4",
)
_DEPENDS = (
    Note(
        "note",
        "on a CPU the dense weights load as they are; a machine with native kernels swaps in quantized modules, whose "
        "scales are not stored",
    ),
)


def check(case: Case) -> Iterable[Found]:
    """All tensors are dense; or the stored layout is one that the declared method does not read."""
    stated = declared(case)
    if stated is None or skipped_method(case) or not case.manifest.families or not _complete(case):
        return
    path, entry = stated
    method = str(entry.get("quant_method", ""))
    layout = stored_layout(case)
    if layout is None and method in _STORED and not packed_families(case):
        if not (_dense_by_design(entry) or _left_alone(case, entry)):
            finding = _finding(case, path, method, "every stored tensor is dense", _drop(path))
            yield replace(finding, severity="warning", notes=_DEPENDS) if method_of(entry) in TAKE_DENSE else finding
    elif layout is not None and method and method not in METHOD_WORDS[layout.method] and method in _STORED:
        yield _finding(case, path, method, f"the tensors are stored as {layout.method}", _replace(path, layout))


def _left_alone(case: Case, entry: dict[str, Any]) -> bool:
    """Whether its own list of exceptions leaves every matrix of the model as it is."""
    if case.outcome.inconclusive is not None or case.outcome.raises:
        return False
    matrices = (family for family in case.expectation.families if len(family.shape) > 1)
    names = (name for family in matrices for name in names_of(family.template, family.axes))
    return keeps_dense(entry, (name.removesuffix(".weight") for name in names))


def _complete(case: Case) -> bool:
    """Scales may lie in a shard that is not there."""
    there = {file.path for file in case.inventory.files}
    return case.manifest.names_only or all(file in there for file in case.selection.files)


def _dense_by_design(entry: dict[str, Any]) -> bool:
    """Declarations that leave the weights alone: only the KV cache, not yet compressed, or switched off."""
    status, layout = entry.get("quantization_status"), entry.get("format")
    if entry.get("quant_method") == "compressed-tensors" and not entry.get("config_groups"):
        return True
    switches = [entry[key] for key in ("load_in_4bit", "load_in_8bit") if key in entry]
    off = bool(switches) and not any(switches)
    return off or layout == "dense" or status in ("initialized", "calibration")


def _finding(case: Case, path: JsonPath, method: str, stored: str, fixes: tuple[Fix, ...]) -> Found:
    rows = [row for row in case.outcome.rows if is_companion(row) or _is_promised(row)]
    headline = f"{'.'.join(map(str, path))} says {method}, and {stored}"
    weight = next(
        (f for f in case.manifest.families if f.template.endswith(".weight") and len(f.shape or ()) == 2), None
    )
    evidence = [Evidence(where(case.config, (*path, "quant_method")), f'quant_method = "{method}"')]
    if weight is not None:
        evidence.append(
            Evidence(
                in_files(weight.files[:2], 2),
                f"{show(weight.template, weight.axes)} {weight.dtype or ''} {list(weight.shape or ())}",
            )
        )
    return Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=tuple(rows),
        fixes=fixes,
    )


def _is_promised(row: Row) -> bool:
    """A scale or a packed weight that the declaration makes the model expect."""
    return row.kind == "missing" and dense_name(row.template) is not None


def _drop(path: JsonPath) -> tuple[Fix, ...]:
    return (Fix(f"delete {'.'.join(map(str, path))} from config.json", "lossless", (DeleteJson("config.json", path),)),)


def _replace(path: JsonPath, layout: Layout) -> tuple[Fix, ...]:
    value = proved_config(layout)
    if value is None:
        return (Fix(f"write the {layout.method} entry of the tool that quantized it", "manual"),)
    return (
        Fix("write the quantization_config that the shapes prove", "lossless", (SetJson("config.json", path, value),)),
    )


RULE = Rule(
    code="LP602",
    slug="quant-config-stale",
    group="quantization",
    title="The config declares a quantization that the tensors do not have",
    check=check,
    absorbs=("LP017",),  # which says that the method's package is not installed
)
