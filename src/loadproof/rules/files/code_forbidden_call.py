"""LP019 code-forbidden-call: the repository's code made its evaluator ask the system for something forbidden."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import Place
from loadproof.rules.base import Found, Rule


def check(case: Case) -> Iterable[Found]:
    if not case.expectation.forbidden_call:
        return
    is_own = case.expectation.source == "remote-code"
    whose = "the repository's own code" if is_own else "the source of this release"
    evidence = [
        Evidence(Place(file.path), "code of the folder", "note") for file in case.inventory.files if _is_code(file.path)
    ]
    yield Found(
        severity="error",
        confidence="certain",
        headline=f"{whose} made its evaluator ask the operating system for something forbidden; that process was ended",
        evidence=tuple(evidence[:3]) if is_own else (),
        fixes=(Fix("do not load this with trust_remote_code=True; read the code first, and report it", "manual"),),
    )


def _is_code(path: str) -> bool:
    return path.endswith(".py")


RULE = Rule(
    code="LP019",
    slug="code-forbidden-call",
    group="files",
    title="The model source tried to reach the system",
    check=check,
    beside_weights=True,
    absorbs=("LP012", "LP705"),  # which say how to load it
)
