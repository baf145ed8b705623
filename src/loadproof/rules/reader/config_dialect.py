"""LP703 config-dialect: the config, or the code beside it, is of another release."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import text_config, text_config_path, where
from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence
from loadproof.core.places import source_line
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.own_code import lacking_packages, ran

_REMOTE_FIELDS = ("attn_type_list", "layernorm_full_attention_alpha", "layernorm_linear_attention_alpha")

# What a class of transformers 4 lacks in 5 (modeling_utils.py of 5.24: post_init, get_expanded_tied_weights_keys).
_ADVICE = (
    ("all_tied_weights_keys", "add self.post_init() at the end of the model's __init__"),
    ("'list' object has no attribute 'keys'", "write _tied_weights_keys as a dict, target to source"),
    ("SyntaxError", "correct the code or copy it again from its origin"),
    ("IndentationError", "correct the code or copy it again from its origin"),
)


def check(case: Case) -> Iterable[Found]:
    """Fields that one generation of readers knows and the other passes over in silence; code of another generation."""
    if ran(case) and not lacking_packages(case):
        yield _code(case)
        return
    fields = text_config(case.config)
    rope = fields.get("rope_parameters")
    theta = rope.get("rope_theta") if isinstance(rope, dict) else None
    if isinstance(theta, (int, float)) and theta != 10000 and "rope_theta" not in fields:
        yield _rope(case, theta)
    path = text_config_path(case.config)
    foreign = [name for name in _REMOTE_FIELDS if name in fields]
    if foreign and case.expectation.source == "installed":
        evidence = tuple(Evidence(where(case.config, (*path, name)), name) for name in foreign)
        headline = f"{', '.join(foreign)}: fields of the original code, which the class of the release does not read"
        yield Found(severity="info", confidence="certain", headline=headline, evidence=evidence)


def _code(case: Case) -> Found:
    """The repository's own code raises in this release: nearly always because it was written for another one."""
    said, at = case.expectation.raises or "", case.expectation.raises_at
    reader = f"{case.expectation.reader} {case.expectation.version}"
    headline = f"the code in this folder does not run with {reader}: {said.splitlines()[0]}"
    evidence = (Evidence(where(case.config, ("auto_map",)), "names the code"), *_raised_at(at))
    advice = next((advice for sign, advice in _ADVICE if sign in said), "correct the code")
    fix = Fix(f"{advice}, or load with the release of {case.expectation.reader} that it was written for", "manual")
    return Found(severity="error", confidence="certain", headline=headline, evidence=evidence, fixes=(fix,))


def _raised_at(at: str) -> tuple[Evidence, ...]:
    return (Evidence(source_line(at), "raised here", "source"),) if at else ()


def _rope(case: Case, theta: float) -> Found:
    """transformers 5 writes rope_parameters, readers of the 4 generation look for rope_theta alone."""
    path = text_config_path(case.config)
    old = case.expectation.version.startswith("4.")
    who = f"transformers {case.expectation.version}" if old else "readers made for transformers 4"
    headline = f"rope_theta {theta:g} stands in rope_parameters alone; {who} would take the default of 10000"
    evidence = (Evidence(where(case.config, (*path, "rope_parameters", "rope_theta")), f"rope_theta = {theta:g}"),)
    fix = Fix(
        "write rope_theta at the level of the config too",
        "lossless",
        (SetJson("config.json", (*path, "rope_theta"), theta),),
    )
    severity: Severity = "error" if old else "info"
    return Found(severity=severity, confidence="certain", headline=headline, evidence=evidence, fixes=(fix,))


RULE = Rule(
    code="LP703",
    slug="config-dialect",
    group="reader",
    title="The config, or the code beside it, is written for another release",
    check=check,
)
