"""LP703 config-dialect: the config speaks the dialect of another release."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config import text_config, text_config_path, where
from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule

_REMOTE_FIELDS = ("attn_type_list", "layernorm_full_attention_alpha", "layernorm_linear_attention_alpha")


def check(case: Case) -> Iterable[Found]:
    """Fields that one generation of readers knows and the other passes over in silence."""
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
    title="The config speaks the dialect of another release",
    check=check,
)
