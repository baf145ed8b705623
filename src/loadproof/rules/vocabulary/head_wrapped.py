"""LP209 head-wrapped: the head is stored under the name of a wrapper around it."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import DropTensors, Edit, Fix, RenameTensors, Safety
from loadproof.core.families import show
from loadproof.core.findings import Evidence
from loadproof.core.places import in_files
from loadproof.core.tensors import Family
from loadproof.lexicon.adapters import FROZEN
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.vocabulary import head
from loadproof.rules.evidence.whatif import explained_by, renamed
from loadproof.rules.evidence.wording import shape_text


def check(case: Case) -> Iterable[Found]:
    expected = head(case)
    if expected is None or not any(row.template == expected.template for row in case.outcome.rows):
        return
    module = expected.template.rpartition(".")[0]
    wrapped = [
        f for f in case.manifest.families if _is_inside(f.template, module) and f.shape in (expected.shape, None)
    ]
    trained = [family for family in wrapped if FROZEN not in family.template]
    if len(trained) == 1 and _single(trained[0]):
        yield from _finding(case, trained[0], expected.template, wrapped)


def _single(family: Family) -> bool:
    return all(len(axis) == 1 for axis in family.axes)


def _is_inside(template: str, module: str) -> bool:
    """``lm_head.{}.weight`` is inside ``lm_head``, ``lm_head.weight`` itself is not."""
    head_name = module.rpartition(".")[2]
    parts = template.split(".")
    return head_name in parts[:-2] and parts[-1] == "weight" and "lora" not in template


def _finding(case: Case, family: Family, wanted: str, wrapped: list[Family]) -> Iterable[Found]:
    inside = set(wrapped)
    kept = [other for other in case.manifest.families if other not in inside]
    gone, new = explained_by(case, (*kept, *renamed([family], lambda _: wanted)))
    if not gone or new:
        return
    name = show(family.template, family.axes)
    headline = f"the head is stored as {name}: a wrapper around it was saved with it"
    evidence = (Evidence(in_files(family.files), f"{name} {shape_text(family.shape)}, the class asks for {wanted}"),)
    edits: list[Edit] = [RenameTensors(((family.template, wanted, family.axes),))]
    copies = [other for other in wrapped if other is not family]
    edits += [DropTensors(copy.template, copy.axes) for copy in copies]
    safety: Safety = "lossy" if copies else "lossless"
    loss = f"{copies[0].template}, the head before training" if copies else ""
    fix = Fix(f"rename {name} to {wanted}", safety, tuple(edits), loss)
    yield Found(
        severity="error", confidence="certain", headline=headline, evidence=evidence, rows=tuple(gone), fixes=(fix,)
    )


RULE = Rule(
    code="LP209",
    slug="head-wrapped",
    group="vocabulary",
    title="The head is stored under the name of a wrapper",
    check=check,
)
