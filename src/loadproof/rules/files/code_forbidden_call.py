"""LP019 code-forbidden-call: the repository's code made its evaluator ask the system for something forbidden."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import Place
from loadproof.rules.base import Found, Rule, RuleDocs


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


DOCS = RuleDocs(
    finds=(
        "Model source that broke out of loadproof's evaluator and then tried to open a file, start a program, reach the "
        "network or do anything else than compute. The evaluator runs behind a wall of the operating system, which ends "
        "the process at such a call; nothing was read, written or sent."
    ),
    why=(
        "The text of a model class has no reason to ask for that, and the evaluator itself never does. It is an attack on "
        "whoever looks at the checkpoint, and what it would do in a process of yours is up to it."
    ),
    errors=("none: with trust_remote_code=True the code simply runs, with all your rights",),
    example="A constructor in modeling_x.py that gets hold of Python's own `open` and reads your environment.",
    fix=(
        "Do not load it. Keep the folder, report the repository to its host, and report the hole in the evaluator "
        "(SECURITY.md says where)."
    ),
    harmless="Never. Nothing is known about the weights either: the verdict stays inconclusive.",
)
RULE = Rule(
    *("LP019", "code-forbidden-call", "The model source tried to reach the system", check, DOCS),
    absorbs=("LP012", "LP705"),  # which say how to load it
)
