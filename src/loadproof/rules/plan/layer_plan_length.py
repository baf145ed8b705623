"""LP302 layer-plan-length: the plan lists another number of layers than the model has."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config.access import get, text_config, text_config_path
from loadproof.config.lines import where
from loadproof.config.plan.reading import config_depth, diff_plans
from loadproof.config.plan.words import canonical
from loadproof.config.spellings import spelled, value_of
from loadproof.core.case import Case
from loadproof.core.config import JsonPath, LayerPlan, dotted
from loadproof.core.edits import Edit, Fix, SetJson
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import NOWHERE, about
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.plans import config_file, plan_list_path
from loadproof.rules.evidence.whatif_config import explained_by_config
from loadproof.rules.evidence.wording import plural


def check(case: Case) -> Iterable[Found]:
    path = plan_list_path(case)
    depth = config_depth(case.config)
    if path is None or depth is None or not _is_refused(case):
        return
    words = get(case.config, path)
    if len(words) == depth:
        return
    headline = f"{dotted(path)} lists {plural(len(words), 'layer')}, the model has {depth}"
    edits, text = _repair(case, path, words, depth)
    fix = Fix(text, "lossless", edits) if edits else Fix(text, "manual")
    evidence = (
        Evidence(where(case.config, path), f"{dotted(path)} has {len(words)} entries"),
        *_depth_evidence(case, depth),
        *_stored_evidence(case),
        *_prediction_heads(case, len(words) - depth),
    )
    rows = tuple(case.outcome.rows)
    notes = (Note("outcome", case.expectation.raises),) if case.expectation.raises else ()
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=rows,
        fixes=(fix,),
        notes=notes,
    )


def _is_refused(case: Case) -> bool:
    """Whether the library refuses the config for it; classes that cut the list or derive the depth do not."""
    return case.expectation.raises is not None and "layer" in case.expectation.raises


def _repair(case: Case, path: JsonPath, words: list[str], depth: int) -> tuple[tuple[Edit, ...], str]:
    """The list cut to the depth, or the depth set to the list: whichever the stored layers prove."""
    stored = case.tensor_plan
    file = config_file(case)
    if stored is None:
        return (), "make the list as long as the model; which entries are superfluous, no tensor here says"
    held = len(stored.words)
    if held == depth and len(words) > depth:
        made = _cut(words, stored)
        if made is None:
            return (), "write the plan of the remaining layers; sliding and full attention store the same tensors"
        edits: tuple[Edit, ...] = (SetJson(file, path, made),)
        text = f"cut {dotted(path)} to the {depth} stored layers"
    elif held == len(words):
        edits = (SetJson(file, _depth_path(case), len(words)),)
        text = f"set {dotted(_depth_path(case))} to {len(words)}, as many as are stored"
    elif held == depth:
        edits = (SetJson(file, path, _extended(words, stored)),)
        text = f"write {dotted(path)} for the {depth} stored layers"
    else:
        return (), f"make list and depth agree: {held} layers are stored"
    proven = explained_by_config(case, edits)
    return (edits, text) if proven is not None and not proven[1] else ((), text)


def _cut(words: list[str], stored: LayerPlan) -> list[str] | None:
    """The first entries if the tensors agree with them, else the entries in order that do; None if they do not "
    "decide."""
    first = words[: len(stored.words)]
    if _agrees(first, stored):
        return first
    if len(set(map(canonical, words))) > len({kind for kind in stored.words if kind}):
        return None  # words that no tensor tells apart
    own = {canonical(word): word for word in words}
    made = [own.get(word) for word in stored.words]
    return [word for word in made if word] if all(made) else None


def _agrees(words: list[str], stored: LayerPlan) -> bool:
    return diff_plans(LayerPlan(tuple(map(canonical, words)), "config"), stored).same


def _extended(words: list[str], stored: LayerPlan) -> list[str]:
    own = {canonical(word): word for word in words}
    rest = [own.get(word, word) or "full_attention" for word in stored.words[len(words) :]]
    return [*words, *rest]


def _depth_path(case: Case) -> JsonPath:
    name = spelled(text_config(case.config), "num_hidden_layers") or "num_hidden_layers"
    return (*text_config_path(case.config), name)


def _depth_evidence(case: Case, depth: int) -> tuple[Evidence, ...]:
    path = _depth_path(case)
    return (Evidence(where(case.config, path), f"{dotted(path)} = {depth}"),)


def _stored_evidence(case: Case) -> tuple[Evidence, ...]:
    if case.tensor_plan is None:
        return ()
    return (
        Evidence(about("tensors"), f"{plural(len(case.tensor_plan.words), 'layer')} under {case.tensor_plan.field}"),
    )


def _prediction_heads(case: Case, surplus: int) -> tuple[Evidence, ...]:
    count = value_of(text_config(case.config), "num_nextn_predict_layers")
    if surplus > 0 and count == surplus:
        text = f"the {surplus} surplus entries are probably those of the prediction heads (num_nextn_predict_layers)"
        return (Evidence(NOWHERE, text, "note"),)
    return ()


RULE = Rule(
    code="LP302",
    slug="layer-plan-length",
    group="plan",
    title="The layer plan lists a wrong number of layers",
    check=check,
)
