"""LP103 shard-unindexed: weight files lie beside the indexed ones and are not read."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.rows import of_kind
from loadproof.rules.shards import deciding_index, is_numbered, listed, stray_shards
from loadproof.types import Case, Evidence, Finding, Fix, RebuildIndex, SetAside, Severity


def check(case: Case) -> Iterable[Finding]:
    """An error where parameters are missing (they may be in there), a warning for a second numbered set."""
    index = deciding_index(case)
    stray = stray_shards(case) if index is not None else ()
    if index is None or not stray or not index.weight_map:
        return
    missing = of_kind(case.outcome.rows, "missing")
    second = [file for file in stray if is_numbered(file)]
    subject = f"{stray[0]} lies" if len(stray) == 1 else f"{len(stray)} weight files lie"
    headline = f"{subject} in the folder and {index.path} does not name {'it' if len(stray) == 1 else 'them'}"
    evidence = (
        Evidence("folder", listed(stray)),
        Evidence(index.path, f"names {listed(sorted(set(index.weight_map.values())))}"),
    )
    set_aside = tuple(SetAside(file) for file in stray)
    if missing and second:
        files = tuple(sorted({*index.weight_map.values(), *second}))
        fix = Fix(
            f"write {index.path} anew from all shards in the folder", "lossless", (RebuildIndex(index.path, files),)
        )
        yield Finding("LP103", "shard-unindexed", "error", "likely", headline, evidence, tuple(missing), 0, (fix,))
    else:
        fix = Fix("set the files aside (they are renamed, not deleted)", "lossless", set_aside)
        severity: Severity = "warning" if second else "info"
        notes = ("note: mlx-lm and loaders without an index read every *.safetensors of the folder",)
        yield Finding("LP103", "shard-unindexed", severity, "certain", headline, evidence, (), 0, (fix,), notes)


DOCS = RuleDocs(
    finds="Weight files in the folder that the index does not name.",
    why=(
        "Readers that follow the index never open them: what they hold is missing. Readers that take every file "
        "of the folder (mlx-lm, tools without an index) load a stale second set over the first."
    ),
    errors=(
        "transformers: MISSING rows for what the file holds, a warning only",
        "mlx-lm: ValueError: Received parameters not in model, or a silent mix of two saves",
    ),
    example=(
        "model-00001-of-00002.safetensors and -00002- are indexed; model-00001-of-00003 to -00003- of an older "
        "save lie beside them."
    ),
    fix=("Where the file belongs to the set, write the index anew; where it is a leftover, set it aside."),
    harmless="Adapters, draft models and original checkpoints kept in the same folder are a remark only.",
)
RULE = Rule("LP103", "shard-unindexed", "Weight files lie beside the indexed ones and are not read", check, DOCS)
