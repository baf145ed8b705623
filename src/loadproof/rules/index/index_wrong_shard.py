"""LP106 index-wrong-shard: the index maps tensors to the wrong shard."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import DropTensors
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.index_faults import contradicted


def check(case: Case) -> Iterable[Found]:
    return contradicted(case, RULE.code, "mapped to a shard that does not hold it")


RULE = Rule(
    code="LP106",
    slug="index-wrong-shard",
    group="index",
    title="The index maps tensors to the wrong shard",
    check=check,
    cured_by=(DropTensors,),
)
