"""Small hand-made worlds: rules, manifests, expectations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from loadproof.core.checkpoint import Manifest
from loadproof.core.expectation import Expectation, Expected
from loadproof.core.families import fold
from loadproof.core.loading import ConversionRule, Loading, Operation
from loadproof.core.tensors import Family, Shape


def rule(
    sources: str | tuple[str, ...],
    targets: str | tuple[str, ...],
    *operations: Operation,
    kind: str | None = None,
    **more: Any,
) -> ConversionRule:
    """A rule with its pattern compiled as the library compiles it (core_model_loading.py:1007)."""
    sources = (sources,) if isinstance(sources, str) else sources
    targets = (targets,) if isinstance(targets, str) else targets
    branches = []
    for i, source in sorted(enumerate(sources), key=lambda item: -len(item[1])):
        pattern = source.replace("*.", r".*\.")
        if re.search(r"[a-zA-Z0-9]$", pattern):
            pattern += r"(?!\w)"
        branches.append(f"(?P<g{i}>{pattern})")
    kind = kind or ("WeightConverter" if operations else "WeightRenaming")
    return ConversionRule(kind, sources, targets, "|".join(branches), operations=operations, **more)


def manifest(files: Mapping[str, Shape], dtype: str = "F32") -> Manifest:
    """A manifest of these tensors in one file."""
    families = fold((name, (dtype, shape)) for name, shape in files.items())
    folded = tuple(Family(t, axes, *key, ("model.safetensors",)) for t, axes, key in families)
    return Manifest("safetensors", (), folded, len(files), 0)


def expectation(model: Mapping[str, Shape], *rules: ConversionRule, **more: Any) -> Expectation:
    """A class that has these parameters."""
    families = tuple(Expected(t, axes, shape) for t, axes, shape in fold(model.items()))
    private = Loading(
        rules=rules, **{name: more.pop(name) for name in ("ignore_missing", "ignore_unexpected") if name in more}
    )
    return Expectation("transformers", "5.24.0", "Model", "model", "installed", families, private=private, **more)


STACK, JOIN = Operation("MergeModulelist", {"dim": 0}), Operation("Concatenate", {"dim": 1})
EXPERTS = (
    rule(("experts.*.w1.weight", "experts.*.w3.weight"), "experts.gate_up_proj", STACK, JOIN),
    rule("experts.*.w2.weight", "experts.down_proj", STACK),
)
