"""LP705 remote-code: the model needs code of its own."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import get, where
from loadproof.config.code import references_of
from loadproof.config.values import nested
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import about
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.own_code import has_code, lacking_packages, needs_code, ran


def check(case: Case) -> Iterable[Found]:
    """`auto_map` of a model_type that the release does not know: is the code here, elsewhere, or nowhere?"""
    if not has_code(case) or not case.config.path:
        return
    stated = [fields.get("auto_map") for _, fields in nested(case.config.raw)]
    references = [str(one) for value in stated if value is not None for one in references_of(value)]
    modules = sorted({item.rpartition(".")[0] for item in references})
    foreign = [module for module in modules if "--" in module]
    local = [module for module in modules if "--" not in module]
    absent = [module for module in local if case.look_up(module.replace(".", "/") + ".py") is None]
    at = where(case.config, ("auto_map",))
    if not needs_code(case):
        return
    if not absent and not foreign and ran(case):
        yield from _packages(case)
        return
    what, fix = _state(absent, foreign)
    headline = f"model_type {get(case.config, ('model_type',))!r} needs code of its own, {what}"
    evidence = [Evidence(at, ", ".join(references[:3]))]
    evidence += [Evidence(about("folder"), f"no {module}.py") for module in absent[:2]]
    # Code of another repository is fetched, and may well load.
    severity: Severity = "error" if absent or case.expectation.raises else "warning"
    yield Found(severity=severity, confidence="certain", headline=headline, evidence=tuple(evidence), fixes=(fix,))


def _packages(case: Case) -> Iterable[Found]:
    """Whether packages are installed is a fact of this machine, not of the checkpoint."""
    names = lacking_packages(case)
    if not names:
        return
    headline = f"the code in this folder needs packages that are not installed here: {names}"
    evidence = (Evidence(where(case.config, ("auto_map",)), "its files import them"),)
    fix = Fix(f"install {names} where the model is loaded", "manual")
    yield Found(severity="error", confidence="certain", headline=headline, evidence=evidence, fixes=(fix,))


def _state(absent: list[str], foreign: list[str]) -> tuple[str, Fix]:
    if foreign:
        where_from = foreign[0].split("--")[0]
        return f"which lies in another repository ({where_from})", Fix(
            "read that code, then load with trust_remote_code=True", "manual"
        )
    if absent:
        fix = Fix(f"copy {', '.join(module + '.py' for module in absent[:3])} from the original repository", "manual")
        return "which is not in the folder", fix
    return "which is in the folder", Fix("read the code, then load with trust_remote_code=True", "manual")


RULE = Rule(
    code="LP705",
    slug="remote-code",
    group="reader",
    title="The model needs code of its own",
    check=check,
    never_loads=True,
    absorbs=("LP012",),
)
