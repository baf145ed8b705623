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
from loadproof.formats.inventory import look_up
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.reader.reader_too_old import has_code, needs_code


def check(case: Case) -> Iterable[Found]:
    """`auto_map` of a model_type that the release does not know: is the code here, elsewhere, or nowhere?"""
    if not has_code(case) or not case.config.path:
        return
    stated = [fields.get("auto_map") for _, fields in nested(case.config.raw)]
    references = [str(one) for value in stated if value is not None for one in references_of(value)]
    modules = sorted({item.rpartition(".")[0] for item in references})
    foreign = [module for module in modules if "--" in module]
    local = [module for module in modules if "--" not in module]
    absent = [module for module in local if look_up(case.inventory, module.replace(".", "/") + ".py") is None]
    at = where(case.config, ("auto_map",))
    if not needs_code(case):
        return
    what, fix = _state(absent, foreign)
    headline = f"model_type {get(case.config, ('model_type',))!r} needs code of its own, {what}"
    evidence = [Evidence(at, ", ".join(references[:3]))]
    evidence += [Evidence(about("folder"), f"no {module}.py") for module in absent[:2]]
    # Code of another repository is fetched, and may well load.
    severity: Severity = "error" if absent or case.expectation.raises else "warning"
    yield Found(severity=severity, confidence="certain", headline=headline, evidence=tuple(evidence), fixes=(fix,))


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


DOCS = RuleDocs(
    finds=("An `auto_map` in config.json: the classes are in Python files of the repository, or of another one."),
    why=(
        "The library has no class of this model_type and runs the repository's code only with "
        "`trust_remote_code=True`. Merge scripts and exports often forget to copy the files."
    ),
    errors=(
        ("transformers: ValueError: ... contains custom code which must be executed to correctly load the model."),
        "transformers: OSError: ... does not appear to have a file named modeling_x.py",
        "vLLM: ValueError: ... please set trust_remote_code=True",
    ),
    example=(
        '`"AutoModelForCausalLM": "modeling_baichuan.BaichuanForCausalLM"`, and no modeling_baichuan.py in the folder.'
    ),
    fix=(
        "Copy the files from the original repository and read them before you let them run. loadproof reads "
        "such code without running it."
    ),
    harmless="Where the release has a class of its own for the model_type, the code is not needed.",
)
RULE = Rule("LP705", "remote-code", "The model needs code of its own", check, DOCS, absorbs=("LP012",))
