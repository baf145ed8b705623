"""Locations that hold a part of a model only: one shard of a set, or an adapter. What is absent there is no fault."""

from __future__ import annotations

import shlex

import msgspec

from loadproof.core.checkpoint import Selection
from loadproof.core.expectation import Expectation
from loadproof.core.findings import Finding
from loadproof.core.session import Checkpoint
from loadproof.lexicon.shards import numbered
from loadproof.rules.catalogue import rule_of

_ADAPTER = "adapter_config.json"


def as_part(checkpoint: Checkpoint, selection: Selection, expectation: Expectation) -> Expectation:
    """The expectation, or one that leaves the verdict open where only a part of a model lies there."""
    found = _part(checkpoint, selection)
    if found is None:
        return expectation
    why, hint = found
    return Expectation(
        expectation.reader,
        expectation.version,
        expectation.class_name,
        expectation.model_type,
        "none",
        inconclusive=why,
        hint=hint,
    )


def faults_of_part(
    checkpoint: Checkpoint | None, selection: Selection, findings: tuple[Finding, ...]
) -> tuple[Finding, ...]:
    """Of a part only the faults of its own files are reported; all that concerns the whole model needs the rest of it."""
    if checkpoint is None or _part(checkpoint, selection) is None:
        return findings
    return tuple(finding for finding in findings if _is_of_a_file(finding))


def _is_of_a_file(finding: Finding) -> bool:
    rule = rule_of(finding.code)
    return rule is not None and rule.group in ("files", "config") and not rule.last_resort


def _part(checkpoint: Checkpoint, selection: Selection) -> tuple[str, str] | None:
    inventory = checkpoint.inventory
    if inventory.single_file is not None:
        return _shard(checkpoint, inventory.single_file)
    is_adapter = selection.entry is None and not selection.files and selection.error is None
    return _adapter(checkpoint) if is_adapter and any(f.path == _ADAPTER for f in inventory.files) else None


def _shard(checkpoint: Checkpoint, file: str) -> tuple[str, str] | None:
    """Which shard of which set the file is: by the index beside it, else by its name."""
    hint = f"check the whole folder: loadproof check {shlex.quote(checkpoint.folder or checkpoint.inventory.location)}"
    for index in checkpoint.inventory.indexes:
        shards = sorted(set(index.weight_map.values()))
        if file in shards and len(shards) > 1:
            return f"this is shard {shards.index(file) + 1} of {len(shards)} of {index.path}", hint
    name = numbered(file)
    if name is None or int(name["total"]) < 2:
        return None
    return f"this is one shard of a set of {int(name['total'])}, by its name", hint


def _adapter(checkpoint: Checkpoint) -> tuple[str, str]:
    base = _base_of(checkpoint)
    if base is None:
        return "this is a PEFT adapter, not a model", "check the folder of its base model instead"
    return f"this is a PEFT adapter for {base}, not a model", f"check the folder of its base model instead: {base}"


def _base_of(checkpoint: Checkpoint) -> str | None:
    try:
        raw = msgspec.json.decode(checkpoint.small(_ADAPTER) or b"")
    except (ValueError, RecursionError):
        return None
    name = raw.get("base_model_name_or_path") if isinstance(raw, dict) else None
    return name if isinstance(name, str) and name else None
