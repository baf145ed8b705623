"""`diagnose(model)`: a live module through the same rules as a file.

The write-up's checklist in one call: is it the head or the embedding, what shape, quantized, tied, sharded, and does
the module hold the layers that its config declares.
"""

from __future__ import annotations

from typing import Any

from msgspec import structs

from loadproof.config.plan.reading import diff_plans, plan_from_config
from loadproof.config.plan.tensors import plan_from_tensors
from loadproof.core.case import Case, Report
from loadproof.core.checkpoint import Inventory, Manifest, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.coverage import Skip
from loadproof.core.expectation import Expectation
from loadproof.core.families import fold
from loadproof.core.findings import Evidence, Finding
from loadproof.core.outcome import Outcome
from loadproof.core.places import about
from loadproof.core.tensors import Family
from loadproof.interpret import expect
from loadproof.rules.base import Found
from loadproof.rules.diagnose import run_rules
from loadproof.rules.evidence.plans import built_plan
from loadproof.rules.plan.layer_plan_mismatch import RULE as LAYER_PLAN
from loadproof.rules.registry import live_rules
from loadproof.runtime.config_source import model_config
from loadproof.runtime.observe import observe
from loadproof.runtime.unwrap import unwrap


def diagnose(model: Any) -> Report:
    """Findings LP901-LP906 on a live model, and its layers against its config. Nothing is changed.

    The report's verdict is `fails` when generate() cannot work or would be wrong, else `loads`.
    """
    case = live_case(model)
    findings = (*run_rules(case, live_rules())[0], *_plan_findings(case))
    failing = any(finding.severity == "error" for finding in findings)
    checked: tuple[str, ...] = ("output head", "input embedding", "tie", "wrappers")
    skipped: tuple[Skip, ...] = ()
    if case.expectation.families:
        checked = (*checked, "layer plan")
    else:
        skipped = (Skip("layer plan", f"what {case.expectation.class_name} builds is not known from its source"),)
    return Report(
        case=case,
        verdict="fails" if failing else "loads",
        findings=findings,
        unexplained=(),
        checked=checked,
        skipped=skipped,
    )


def live_case(model: Any) -> Case:
    """The live module as a case: its state-dict names as a Manifest, its config, head and embedding with placements."""
    inner, _ = unwrap(model)
    manifest = live_manifest(inner)
    config = _config(inner)
    expectation = _expectation(inner, config)
    name = expectation.class_name
    return Case(
        inventory=Inventory(location=f"live {name}", files=()),
        selection=Selection(entry=None, files=(), format="live"),
        manifest=manifest,
        config=config,
        expectation=expectation,
        outcome=Outcome(),
        config_plan=plan_from_config(config, None),
        tensor_plan=plan_from_tensors(manifest.families),
        live=observe(model),
    )


def _expectation(model: Any, config: ModelConfig) -> Expectation:
    """What the class of this model creates from this config; families stay empty where its source is not readable."""
    name = type(model).__name__
    blank = Expectation("torch", _torch_version(), name, str(config.raw.get("model_type", "")), "none")
    if not type(model).__module__.startswith("transformers.models."):
        return blank
    found = expect(config, "", class_name=name)
    return blank if found.inconclusive or found.raises else structs.replace(blank, families=found.families)


def live_manifest(model: Any) -> Manifest:
    """Parameters and persistent buffers under their names, with the shapes torch prints."""
    state = model.state_dict(keep_vars=True)
    items = (
        (n, (tuple(t.shape), str(t.dtype).removeprefix("torch."))) for n, t in state.items() if hasattr(t, "shape")
    )
    families = tuple(Family(template, axes, dtype, shape) for template, axes, (shape, dtype) in fold(items))
    size = sum(t.numel() * t.element_size() for t in state.values() if hasattr(t, "numel"))
    return Manifest(format="live", files=(), families=families, tensors=len(state), bytes=size)


def _config(model: Any) -> ModelConfig:
    config = getattr(model, "config", None)
    return model_config(config) if config is not None else ModelConfig(path=None, raw={})


def _torch_version() -> str:
    import torch

    return str(torch.__version__)


def _plan_findings(case: Case) -> tuple[Finding, ...]:
    """Where the class, built anew from this config, would hold another mixer than the module does."""
    declared, held = case.config_plan, case.tensor_plan
    built = built_plan(case)
    if built is None or held is None or built.field != held.field:
        return ()
    differing = diff_plans(built, held).layers
    if not differing:
        return ()
    field = declared.field if declared is not None else "layer_types"
    text = ", ".join(map(str, differing[:8])) + (" ..." if len(differing) > 8 else "")
    found = Found(
        severity="error",
        confidence="certain",
        headline=f"the config declares other mixers than the module holds in layer(s) {text}",
        evidence=(
            Evidence(where=about(f"config.{field}"), text=f"the class builds {built.words[differing[0]]}"),
            Evidence(where=about(f"layer {differing[0]}"), text=f"the module holds {held.words[differing[0]]}"),
        ),
    )
    return (found.stamped(LAYER_PLAN.code, LAYER_PLAN.slug),)
