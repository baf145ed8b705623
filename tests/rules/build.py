"""Hand-made cases: the smallest data a rule can look at, no files and no reader."""

from __future__ import annotations

from typing import Any

import loadproof.readers  # noqa: F401 - a case asks its reader
from loadproof.core.case import Case
from loadproof.core.checkpoint import FileInfo, IndexFile, Inventory, Manifest, Problem, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation, Expected
from loadproof.core.families import fold
from loadproof.core.outcome import Outcome, Row, RowKind
from loadproof.core.tensors import Family, Shape
from loadproof.formats import StoredCheckpoint
from loadproof.storage.memory import Memory


def row(kind: RowKind, template: str, *axes: tuple[int, ...], stored: str | None = None, **fields: Any) -> Row:
    """One row; an unexpected row is stored under its own name unless told otherwise."""
    if stored is None and kind != "missing":
        stored = template
    return Row(kind=kind, template=template, axes=axes, stored=stored, **fields)


def families(tensors: dict[str, tuple[str, Shape]], file: str = "model.safetensors") -> tuple[Family, ...]:
    """{name: (dtype, shape)} folded as the manifest holds them."""
    folded = fold((name, key) for name, key in tensors.items())
    return tuple(Family(template, axes, dtype, shape, (file,)) for template, axes, (dtype, shape) in folded)


def case(
    rows: tuple[Row, ...] = (),
    *,
    tensors: dict[str, tuple[str, Shape]] | None = None,
    expected: dict[str, Shape] | None = None,
    config: dict[str, Any] | None = None,
    files: tuple[FileInfo, ...] = (),
    indexes: tuple[IndexFile, ...] = (),
    problems: tuple[Problem, ...] = (),
    selection: Selection | None = None,
    names_only: bool = False,
    expectation: dict[str, Any] | None = None,
    outcome: dict[str, Any] | None = None,
) -> Case:
    stored = families(tensors or {})
    wanted = tuple(Expected(t, axes, shape) for t, axes, shape in fold((expected or {}).items()))
    inventory, raw = Inventory("model", files, indexes, problems), ModelConfig("config.json", config or {}, "")
    return Case(
        inventory=inventory,
        selection=selection or Selection("model.safetensors", ("model.safetensors",), "safetensors"),
        manifest=Manifest("safetensors", files, stored, len(tensors or {}), 0, names_only=names_only),
        config=raw,
        expectation=Expectation(
            "transformers", "5.24.0", "TinyForCausalLM", "tiny", "installed", wanted, **(expectation or {})
        ),
        outcome=Outcome(rows=rows, **(outcome or {})),
        checkpoint=StoredCheckpoint(Memory({}, "/model"), inventory, raw),
    )
