"""LP306 layer-plan-spellings: two fields of the config spell different plans."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config.access import get
from loadproof.config.lines import where
from loadproof.config.plan.reading import diff_plans, field_path, stated_plans
from loadproof.config.plan.words import kind
from loadproof.core.case import Case
from loadproof.core.config import LayerPlan, dotted
from loadproof.core.edits import Edit, Fix
from loadproof.core.findings import Evidence, Note
from loadproof.core.layer_letters import letters
from loadproof.core.places import about
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.plans import write_plan
from loadproof.rules.evidence.wording import json_text, layers_text

# Engines that follow the interval and never look at the list (mlx-lm 0.32, SGLang 0.5).
_INTERVAL = "full_attention_interval"


def check(case: Case) -> Iterable[Found]:
    plans = stated_plans(case.config)
    truth = _truth(case, plans)
    if truth is None:
        return
    followed = case.config_plan.field if case.config_plan is not None else ""
    others = [plan for plan in plans if plan.field != followed and _comparable(plan, truth)]
    wrong = [plan for plan in others if not diff_plans(plan, truth).same]
    if wrong:
        yield _contradiction(case, wrong[0], truth)
    elif _lacks_interval(case, plans, truth):
        yield _silent_interval(case, truth)


def _truth(case: Case, plans: list[LayerPlan]) -> LayerPlan | None:
    """The plan that the file holds if it tells every layer, else the one that this reader follows."""
    stored = case.tensor_plan
    if stored is not None and None not in stored.words:
        return stored
    return case.config_plan or (plans[0] if plans else None)


def _comparable(plan: LayerPlan, truth: LayerPlan) -> bool:
    """Plans with shared blocks are counted by rules of their own; a default list of indices may be longer."""
    kinds = {kind(word) for word in truth.words}
    return "hybrid" not in kinds and len(plan.words) == len(truth.words)


def _contradiction(case: Case, wrong: LayerPlan, truth: LayerPlan) -> Found:
    path = field_path(wrong)
    layers = diff_plans(wrong, truth).layers
    verb = "differs" if len(layers) == 1 else "differ"
    headline = f"{wrong.field} spells another plan than {_by(truth)}"
    evidence = (
        Evidence(where(case.config, path), f"{wrong.field} = {json_text(get(case.config, path))}"),
        Evidence(about("config"), f"{letters(wrong)}  ({wrong.field}; {layers_text(layers)} {verb})", "layers"),
        Evidence(about("tensors" if truth.source == "tensors" else "config"), letters(truth), "layers"),
    )
    edits = _rewritten(case, wrong, truth)
    title = f"write the stored plan into {dotted(path)}" if edits else f"remove {dotted(path)} or make it agree"
    fix = Fix(title, "lossless" if edits else "manual", edits)
    note = Note("outcome", "this reader follows the other field; engines that read this one build other layers")
    return Found(
        severity="warning", confidence="certain", headline=headline, evidence=evidence, fixes=(fix,), notes=(note,)
    )


def _by(truth: LayerPlan) -> str:
    return "the tensors show" if truth.source == "tensors" else truth.field


def _rewritten(case: Case, wrong: LayerPlan, truth: LayerPlan) -> tuple[Edit, ...]:
    """The wrong field in its own spelling; not where the writer would have to fall back to another field."""
    edits = write_plan(case, wrong, truth.words)
    last = field_path(wrong)[-1]
    return edits if edits and all(last in getattr(edit, "path", ()) for edit in edits) else ()


def _lacks_interval(case: Case, plans: list[LayerPlan], truth: LayerPlan) -> bool:
    """A delta-net hybrid with an own rhythm and no interval: two engines assume one full layer in four."""
    stored = case.tensor_plan
    if stored is None or "Gated DeltaNet" not in stored.mixers:
        return False
    if any(plan.field.endswith(_INTERVAL) for plan in plans) or not any(p.field.endswith("layer_types") for p in plans):
        return False
    return [kind(word) == "attention" for word in truth.words] != [layer % 4 == 3 for layer in range(len(truth.words))]


def _silent_interval(case: Case, truth: LayerPlan) -> Found:
    path = (*field_path(case.config_plan or truth)[:-1], _INTERVAL)
    edits = tuple(
        edit
        for edit in write_plan(case, LayerPlan(truth.words, "config", ".".join(map(str, path))), truth.words)
        if getattr(edit, "path", ())[-1:] == (_INTERVAL,)
    )
    headline = (
        f"only layer_types says which layers are full attention; without {_INTERVAL} some engines assume every fourth"
    )
    evidence = (
        Evidence(where(case.config, path), f"{dotted(path)} is not stated"),
        Evidence(about("tensors"), letters(truth), "layers"),
    )
    title = f"write {dotted(path)} as well" if edits else "no interval describes this plan; such engines cannot run it"
    fix = Fix(title, "lossless" if edits else "manual", edits)
    return Found(severity="info", confidence="certain", headline=headline, evidence=evidence, fixes=(fix,))


RULE = Rule(
    code="LP306",
    slug="layer-plan-spellings",
    group="plan",
    title="Two fields spell different layer plans",
    check=check,
)
