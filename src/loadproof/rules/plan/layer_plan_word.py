"""LP303 layer-plan-word: a word of the plan is unknown, or is known and builds nothing in this family."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from loadproof.config.access import get
from loadproof.config.lines import where
from loadproof.config.plan.words import canonical, kind
from loadproof.core.case import Case
from loadproof.core.config import JsonPath, LayerPlan, dotted
from loadproof.core.edits import Edit, Fix, SetJson
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE, about
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.plans import built_plan, config_file, plan_list_path, rows_in_layers
from loadproof.rules.evidence.whatif_config import explained_by_config
from loadproof.rules.evidence.wording import json_text, layers_text

# Words that every class of transformers accepts, though few build something for each (configuration_utils.py, 5.24).
KNOWN = (
    "full_attention",
    "sliding_attention",
    "chunked_attention",
    "linear_attention",
    "conv",
    "hybrid",
    "moe",
    "dense",
    "mlp",
)


def check(case: Case) -> Iterable[Found]:
    path = plan_list_path(case)
    if path is None:
        return
    words = get(case.config, path)
    if case.expectation.raises is not None:
        unknown = [layer for layer, word in enumerate(words) if kind(canonical(word)) is None]
        if unknown:
            yield _finding(case, path, words, unknown, (), "is not a word that the reader knows")
        return
    empty = _without_mixer(case, words)
    rows = rows_in_layers(case, empty, case.tensor_plan.field) if empty and case.tensor_plan else []
    if rows:
        yield _finding(case, path, words, empty, rows, "builds no mixer in this class")


def _without_mixer(case: Case, words: list[str]) -> list[int]:
    """Layers that the class builds without any mixer although the file holds one."""
    built, stored = built_plan(case), case.tensor_plan
    if built is None or stored is None or len(built.words) != len(words):
        return []
    pairs = zip(built.words, stored.words, strict=False)
    return [layer for layer, (made, held) in enumerate(pairs) if made is None and held is not None]


def _finding(case: Case, path: JsonPath, words: list[str], layers: list[int], rows: Iterable[Row], what: str) -> Found:
    shown = layers[0]
    headline = f"{dotted((*path, shown))} = {json_text(words[shown])} {what}"
    evidence = [
        Evidence(where(case.config, (*path, layer)), f"{dotted((*path, layer))} = {json_text(words[layer])}")
        for layer in layers[:3]
    ]
    if case.tensor_plan is not None:
        held = [mixer for layer, mixer in enumerate(case.tensor_plan.mixers) if layer in layers and mixer]
        if held:
            evidence.append(
                Evidence(about("tensors"), f"{layers_text(layers)}: {', '.join(sorted(set(held)))} is stored")
            )
    edits, claimed = _proven(case, path, words, layers, list(rows))
    others = _others(case, edits)
    if others:
        evidence.append(
            Evidence(NOWHERE, f"{' and '.join(others)} would load as well: the tensors are the same", "note")
        )
    fix = _advice(case, path, words, layers) if others or not edits else _fix(path, edits, layers)
    notes = (Note("outcome", case.expectation.raises),) if case.expectation.raises else ()
    return Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=tuple(claimed),
        fixes=(fix,),
        notes=notes,
    )


def _fix(path: JsonPath, edits: tuple[Edit, ...], layers: list[int]) -> Fix:
    written = [edit for edit in edits if isinstance(edit, SetJson)]
    return Fix(f"set {dotted(path)} of {layers_text(layers)} to {json_text(written[0].value)}", "lossless", edits)


def _advice(case: Case, path: JsonPath, words: list[str], layers: list[int]) -> Fix:
    """What to do by hand, with the accepted word that the unknown one most likely stands for."""
    held = case.tensor_plan.words if case.tensor_plan is not None else ()
    meant = {_closest(words[layer], held[layer] if layer < len(held) else None) for layer in layers} - {""}
    asked = f"did you mean {json_text(meant.pop())}? " if len(meant) == 1 else ""
    return Fix(
        f"{asked}write the word of the model's own family for {layers_text(layers)} into {dotted(path)}", "manual"
    )


def _closest(word: object, held: str | None) -> str:
    """The one accepted word that begins with this one, else the most similar one; empty where none is close."""
    known = [known for known in KNOWN if held is None or kind(known) == kind(held)]
    if not isinstance(word, str) or not word or word in known:
        return ""
    begun = [known_word for known_word in known if known_word.startswith(word)]
    return begun[0] if len(begun) == 1 else next(iter(get_close_matches(word, known, 1)), "")


def _others(case: Case, edits: tuple[Edit, ...]) -> list[str]:
    """Other words for the same tensors under which the class loads no worse: what is stored decides between none."""
    written = {edit.value for edit in edits if isinstance(edit, SetJson)}
    mixers = {kind(canonical(word)) for word in written}
    same = [word for word in KNOWN if kind(word) in mixers and word not in written] if len(written) == 1 else []
    return [word for word in same if _loads(case, edits, word)]


def _loads(case: Case, edits: tuple[Edit, ...], word: str) -> bool:
    """Whether the class reports nothing new with this word in the place of the written one."""
    found = explained_by_config(
        case, [SetJson(edit.file, edit.path, word) for edit in edits if isinstance(edit, SetJson)]
    )
    return found is not None and not found[1] and (bool(found[0]) or not case.outcome.rows)


def _proven(
    case: Case, path: JsonPath, words: list[str], layers: list[int], rows: list[Row]
) -> tuple[tuple[Edit, ...], list[Row]]:
    """Words of the file itself, for the kind that is stored, under which nothing is left to report."""
    stored = case.tensor_plan
    sound = [word for layer, word in enumerate(words) if layer not in layers]
    made = {layer: _word_for(sound, stored, layer) for layer in layers}
    if any(word is None for word in made.values()):
        return (), rows
    edits: tuple[Edit, ...] = tuple(SetJson(config_file(case), (*path, layer), word) for layer, word in made.items())
    found = explained_by_config(case, edits)
    if found is None or found[1] or (rows and not found[0]):
        return (), rows  # not to be said, worse than before, or no better
    return edits, found[0]


def _word_for(words: list[str], stored: LayerPlan | None, layer: int) -> str | None:
    """The one word that the sound entries use for such layers, else the canonical one; None when there are several."""
    held = stored.words[layer] if stored is not None and layer < len(stored.words) else None
    if held is None:
        return None
    own = {word for word in words if isinstance(word, str) and kind(canonical(word)) == kind(held)}
    return own.pop() if len(own) == 1 else held if not own else None


RULE = Rule(
    code="LP303",
    slug="layer-plan-word",
    group="plan",
    title="A word of the layer plan is unknown or foreign",
    check=check,
)
