"""LP105 index-missing-key: shards hold tensors that the index does not name."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import DropTensors
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.index_faults import contradicted


def check(case: Case) -> Iterable[Found]:
    return contradicted(case, RULE.code, "held by a shard and not named by the index")


RULE = Rule(
    code="LP105",
    slug="index-missing-key",
    group="index",
    title="Shards hold tensors that the index does not name",
    check=check,
    cured_by=(DropTensors,),
)
