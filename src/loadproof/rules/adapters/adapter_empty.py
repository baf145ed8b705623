"""LP801 adapter-empty: the file of the adapter holds no tensor, or none with elements."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import in_files
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.adapters import effect
from loadproof.rules.evidence.wording import elements, plural


def check(case: Case) -> Iterable[Found]:
    """Nothing is stored: sharded training saved one rank's view, or the state dict was filtered to nothing."""
    families = case.manifest.families
    if not case.selection.files or case.manifest.unread or case.manifest.problems:
        return
    if any(family.shape is None or elements(family.shape) for family in families):
        return
    file = case.selection.files[0]
    what = f"all {plural(case.manifest.tensors, 'tensor')} are empty" if families else "the file holds no tensor"
    yield Found(
        severity="error",
        confidence="certain",
        headline=f"{what}: nothing of the training is stored in {file}",
        evidence=(Evidence(in_files(case.selection.files), f"{case.manifest.bytes:,} bytes of weights"),),
        rows=case.outcome.rows,
        fixes=(
            Fix(
                "save it again with all shards gathered; a folder global_step*/ of the run may still hold it", "manual"
            ),
        ),
        notes=effect(case),
    )


RULE = Rule(
    code="LP801",
    slug="adapter-empty",
    group="adapters",
    title="The adapter holds no weights",
    check=check,
    absorbs=("LP506", "LP803", "LP805", "LP811"),
)
