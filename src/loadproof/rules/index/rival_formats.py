"""LP111 rival-formats: weights of another format lie beside the ones that are read."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetAside
from loadproof.core.findings import Evidence
from loadproof.core.places import in_files
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.shards import listed, rival_files


def check(case: Case) -> Iterable[Found]:
    """An info: which files another reader prefers."""
    if not case.selection.files:
        return
    rivals = rival_files(case)
    if not rivals:
        return
    by_reader = [(reader, files) for reader, files in rivals if files]
    files = sorted({file for _, found in by_reader for file in found})
    headline = f"{listed(files)} {'lies' if len(files) == 1 else 'lie'} beside {case.selection.entry}, which is read"
    evidence = tuple(Evidence(in_files(found, 3), who) for who, found in by_reader)
    fix = Fix(
        "set the other format aside where only one is wanted", "lossless", tuple(SetAside(file) for file in files)
    )
    yield Found(severity="info", confidence="certain", headline=headline, evidence=evidence, fixes=(fix,))


RULE = Rule(
    code="LP111",
    slug="rival-formats",
    group="index",
    title="Weights of another format lie beside the ones that are read",
    check=check,
)
