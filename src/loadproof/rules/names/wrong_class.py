"""LP406 wrong-class: the class that the config names is not the class of the weights."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from loadproof.config import get, where
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import Place, about, in_files
from loadproof.lexicon import experts, extras, feed_forward
from loadproof.lexicon.ends import HEADS
from loadproof.lexicon.legacy import LEGACY
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.class_fit import Fit, fitting, told
from loadproof.rules.evidence.feed_forward import flipped
from loadproof.rules.evidence.renamings import find_rewrite
from loadproof.rules.evidence.shards import listed
from loadproof.rules.evidence.submodules import (
    MULTIMODAL,
    assigned,
    by_root,
    drops_inside,
    expected,
    is_subtree,
    module_of,
    size,
)
from loadproof.rules.rows import of_kind, subtract

_DENSE, _EXPERTS = re.compile(feed_forward.DENSE), re.compile(experts.EXPERT)
_DRAFT = re.compile(extras.DRAFT)


def check(case: Case) -> Iterable[Found]:
    """The first of: a draft model, a text half under a multimodal class, dense against experts, the head of another task,
    a class of the release that fits to the last name, parts the class does not have, a backbone loaded on purpose,
    weights inside of layers that have no use for them."""
    if not case.outcome.rows:
        yield from _architecture_note(case)
        return
    for look in (_draft, _text_half, _sister, _experts, _other_head, _extra_parts, _backbone, _unused_inside):
        finding = look(case)
        if finding is not None:
            yield finding
            return


def _draft(case: Case) -> Found | None:
    """EAGLE-3 drafts: one layer, a reduced vocabulary with its maps, a fusing projection."""
    rows = [row for row in of_kind(case.outcome.rows, "unexpected") if _DRAFT.search(row.stored or row.template)]
    if len(rows) < 2:
        return None
    headline = f"these are the weights of an EAGLE draft model, not of {case.expectation.class_name}"
    return _finding(case, headline, rows, tuple(case.outcome.rows), "serve it as a draft beside its target model")


def _text_half(case: Case) -> Found | None:
    """All of a sub-module is missing and no stored name could be part of it."""
    proof = find_rewrite(case)
    left = case.outcome.rows if proof is None else tuple(subtract(case.outcome.rows, proof.rows))
    present = assigned(case) + ([] if proof is None else [row.template for row in of_kind(proof.rows, "missing")])
    if not left or len(of_kind(left, "missing")) < len(left) or not present:
        return None
    groups = by_root(left, present)
    parts = [module_of(root) for root, rows in groups.items() if is_subtree(rows)]
    if not any(MULTIMODAL.search(part) for part in parts) or drops_inside(groups):
        return None
    alone = not any(MULTIMODAL.search(name) for name in present)
    text = "holds the weights of the language model alone" if alone else "lacks a part of it"
    headline = f"{case.expectation.class_name} is a multimodal class and the file {text}: "
    headline += f"nothing of {listed(parts)} is stored"
    how = "take the missing parts from the base model"
    if alone:
        text_class = told(fitting(case, case.manifest.families))
        how = f"name the text class in config.json: {text_class}; or {how}" if text_class else how
    return _finding(case, headline, of_kind(left, "missing"), tuple(case.outcome.rows), how)


def _experts(case: Case) -> Found | None:
    """Experts under a dense class, or a dense model under a class with experts."""
    missing, unexpected = of_kind(case.outcome.rows, "missing"), of_kind(case.outcome.rows, "unexpected")
    assigned_experts = any(_EXPERTS.search(name) for name in assigned(case))
    for dense, moe, text in (
        (missing, unexpected, "the file is a mixture of experts and the class is dense"),
        (unexpected, missing, "the file is dense and the class is a mixture of experts"),
    ):
        ffn = [row for row in dense if _DENSE.search(row.template) and not _EXPERTS.search(row.template)]
        experts = [row for row in moe if _EXPERTS.search(row.stored or row.template)]
        if ffn and experts and not [row for row in dense if _EXPERTS.search(row.template)]:
            layers = {index for row in ffn for index in row.axes[0]} if ffn[0].axes else set()
            dense_rows = set(ffn)
            rows = [row for row in case.outcome.rows if row in dense_rows or _in_layers(row, layers)]
            if assigned_experts or _is_planned(case):
                return None  # the layer plan's question (LP301)
            fits = told(fitting(case, case.manifest.families))
            how = f"name the model_type and architecture of the weights in config.json{fits and ': ' + fits}"
            return _finding(case, f"{case.expectation.class_name}: {text}", [*ffn, *experts], tuple(rows), how)
    return None


def _is_planned(case: Case) -> bool:
    """Whether a field of the config that chooses the layers with experts explains it."""
    flip = flipped(case)
    return flip is not None and bool(flip.edits)


def _in_layers(row: Row, layers: set[int]) -> bool:
    """The router and the experts of the layers concerned."""
    inside = bool(row.axes) and bool(layers & set(row.axes[0]))
    return inside and re.search(r"\.(mlp|feed_forward|block_sparse_moe|ffn)\.", row.template) is not None


def _other_head(case: Case) -> Found | None:
    """All layers fit, one head is missing and another one is stored."""
    prefix = case.expectation.base_model_prefix + "."
    missing = of_kind(case.outcome.rows, "missing")
    unexpected = of_kind(case.outcome.rows, "unexpected")
    if not missing or not unexpected or len(missing) + len(unexpected) < len(case.outcome.rows):
        return None
    outside = all(not row.axes and not row.template.startswith(prefix) for row in (*missing, *unexpected))
    wanted, found = _modules(missing), _modules(unexpected)
    if not outside or wanted & found or any(part.startswith(tuple(wanted)) for part in found):
        return None
    if wanted | found <= set(HEADS):
        return None  # one head under two names: a dialect, not another class
    have, want = listed(sorted(found)), listed(sorted(wanted))
    headline = f"the file holds the head {have!r}, {case.expectation.class_name} wants {want!r}"
    return _finding(
        case,
        headline,
        [*unexpected, *missing],
        tuple(case.outcome.rows),
        "name the class of the stored head in architectures",
    )


def _modules(rows: list[Row]) -> set[str]:
    return {(row.stored or row.template).split(".")[0] for row in rows}


def _sister(case: Case) -> Found | None:
    """Parameters stay without a tensor, tensors without a parameter, and another class has a place for each of them."""
    missing, unexpected = of_kind(case.outcome.rows, "missing"), of_kind(case.outcome.rows, "unexpected")
    if not missing or not unexpected or case.expectation.source != "installed" or _is_planned(case):
        return None
    proof = find_rewrite(case)
    if proof is not None and not subtract([*missing, *unexpected], proof.rows):
        return None  # other names for the same
    fits = fitting(case, case.manifest.families)
    if not fits:
        return None
    used, number = case.expectation.class_name, len({row.template for row in (*missing, *unexpected)})
    headline = f"the names are not those of {used} ({number:,} kinds differ) and fit {told(fits)} to the last"
    how = f"name it in config.json ({_fields(fits[0])}), with the config of the model that these weights were made from"
    return _finding(case, headline, [*unexpected[:2], *missing[:1]], tuple(case.outcome.rows), how)


def _fields(fit: Fit) -> str:
    return f'model_type "{fit.kin.model_type}", architectures ["{fit.kin.class_name}"]'


def _extra_parts(case: Case) -> Found | None:
    """Nothing is missing; whole sub-modules are left over."""
    unexpected = of_kind(case.outcome.rows, "unexpected")
    if len(unexpected) < len(case.outcome.rows) or not unexpected:
        return None
    groups = by_root(unexpected, expected(case))
    parts = {root: rows for root, rows in groups.items() if is_subtree(rows) and "{}" not in root[-1:]}
    rows = [row for found in parts.values() for row in found]
    if not rows or not any(MULTIMODAL.search(module_of(root)) for root in parts):
        return None
    told = set(rows)
    loose = [row for row in unexpected if row not in told and MULTIMODAL.search(row.template)]
    names = listed(sorted(map(module_of, parts)))
    number = size([*rows, *loose])
    headline = f"{case.expectation.class_name} has no use for {number:,} tensors of a multimodal model ({names})"
    finding = _finding(
        case, headline, rows, (*rows, *loose), "name the multimodal class in config.json, if the parts are wanted"
    )
    return replace(finding, severity="warning")


def _backbone(case: Case) -> Found | None:
    """`LlamaModel` on the weights of `LlamaForCausalLM`: what is left over is the head, and that was asked for."""
    stated, used = get(case.config, ("architectures", 0)), case.expectation.class_name
    family = used.removesuffix("Model")
    if family == used or not isinstance(stated, str) or stated == used or not stated.startswith(f"{family}For"):
        return None
    rows = of_kind(case.outcome.rows, "unexpected")
    prefix = f"{case.expectation.base_model_prefix}."
    if len(rows) < len(case.outcome.rows) or any(row.axes or row.template.startswith(prefix) for row in rows):
        return None
    headline = f"{used} is the backbone of {stated}: the head ({listed(sorted(_modules(rows)))}) stays unused"
    how = f"load it as {stated}, if the head is wanted"
    return replace(_finding(case, headline, rows, tuple(rows), how), severity="info")


def _unused_inside(case: Case) -> Found | None:
    """Nothing is missing, and the layers of the file hold what those of the class have no use for: biases, norms."""
    unexpected = of_kind(case.outcome.rows, "unexpected")
    if of_kind(case.outcome.rows, "missing", "conversion", "misread"):
        return None
    layers: dict[str, set[int]] = {}  # of every list of layers; in a hybrid each family has some of them only
    for e in case.expectation.families:
        if e.axes:
            layers.setdefault(e.template.partition(".{}.")[0], set()).update(e.axes[0])
    rows = [row for row in unexpected if _lies_inside(row, layers) and not LEGACY.search(row.template)]
    if not rows:
        return None
    used, number = case.expectation.class_name, size(rows)
    parts = listed(sorted({row.template.partition(".{}.")[2].replace(".{}", "") for row in rows}))
    headline = f"the layers of {used} have no use for {number:,} of the stored tensors ({parts})"
    fits = told(fitting(case, case.manifest.families))
    if not fits and len(unexpected) < len(case.outcome.rows):
        return None
    if fits:
        headline += f"; the names fit {fits}"
    how = "name the model_type of the weights in config.json, or the field that gives its layers these parts"
    return replace(_finding(case, headline, rows, tuple(rows), how), severity="warning")


def _lies_inside(row: Row, layers: dict[str, set[int]]) -> bool:
    return bool(row.axes) and set(row.axes[0]) <= layers.get(row.template.partition(".{}.")[0], set())


def _architecture_note(case: Case) -> Iterable[Found]:
    """`architectures` names another class than the one that loads: harmless here, not for engines that obey it."""
    stated = get(case.config, ("architectures", 0))
    used = case.expectation.class_name
    if not isinstance(stated, str) or not used or stated == used or case.expectation.source != "installed":
        return
    if (
        case.expectation.inconclusive or case.reading.class_name is not None
    ):  # a class that was asked for says nothing of the file
        return
    headline = f"architectures says {stated}; model_type {case.expectation.model_type!r} loads as {used}"
    evidence = (Evidence(where(case.config, ("architectures", 0)), f'"{stated}"'),)
    fix = Fix("leave it for transformers; another engine needs the spelling that its own registry lists", "manual")
    notes = (Note("note", "vLLM and SGLang choose the class by architectures, and may know it by this name only"),)
    yield Found(severity="info", confidence="certain", headline=headline, evidence=evidence, fixes=(fix,), notes=notes)


def _finding(case: Case, headline: str, shown: list[Row], rows: tuple[Row, ...], how: str) -> Found:
    stated = get(case.config, ("architectures", 0), case.expectation.class_name)
    config = Evidence(where(case.config, ("architectures",)), f"{stated}, model_type {case.expectation.model_type}")
    names = [Evidence(_place(row), show(row.stored or row.template, row.axes)) for row in shown[:3] if _shows(row)]
    return Found(
        severity="error",
        confidence="likely",
        headline=headline,
        evidence=(config, *names),
        rows=rows,
        fixes=(Fix(how, "manual"),),
    )


def _shows(row: Row) -> bool:
    return (row.stored or row.template).count("{}") == len(row.axes)


def _place(row: Row) -> Place:
    return in_files(row.files[:2], 2) if row.kind == "unexpected" else about(row.kind)


RULE = Rule(
    code="LP406",
    slug="wrong-class",
    group="names",
    title="The class that the config names is not the class of the weights",
    check=check,
)
