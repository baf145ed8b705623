"""The plans of a case side by side, how to show them, and how to write a plan back into the config's own spelling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from loadproof.config.access import get, text_config, text_config_path
from loadproof.config.edited import with_edits
from loadproof.config.lines import where
from loadproof.config.plan.codec import write
from loadproof.config.plan.reading import diff_plans, field_path, text_fields
from loadproof.config.plan.spellings import CODECS, LISTS, SPELLINGS, read_words
from loadproof.config.plan.tensors import decoder_layers, plan_from_tensors
from loadproof.config.plan.words import canonical, kind
from loadproof.core.case import Case
from loadproof.core.config import JsonPath, LayerPlan, dotted
from loadproof.core.edits import Edit, SetJson
from loadproof.core.expectation import Expected
from loadproof.core.families import show
from loadproof.core.findings import Evidence
from loadproof.core.layer_letters import letter, letters, meaning
from loadproof.core.outcome import Row
from loadproof.core.places import Place, about, in_files
from loadproof.core.tensors import Family
from loadproof.lexicon.mixers import mixer_modules
from loadproof.rules.evidence.wording import json_text, number_of


def built_plan(case: Case) -> LayerPlan | None:
    """The plan of the model that the class builds, told by its parameters as the stored plan is told by the tensors."""
    return plan_from_tensors(as_families(case.expectation.families))


def default_plan(case: Case, built: LayerPlan) -> LayerPlan:
    """The plan of a class that was told nothing: under the field that it would read, which stands in its defaults."""
    fields = text_fields(case.expectation.config)
    name = next((name for name in SPELLINGS if name in fields), LISTS[0])
    field = dotted((*text_config_path(case.config), name))
    return LayerPlan(built.words, "config", field, given=False)


def as_families(expected: Sequence[Expected]) -> list[Family]:
    return [Family(e.template, e.axes, None, e.shape) for e in expected if e.kind == "parameter"]


def config_file(case: Case) -> str:
    return case.config.path or "config.json"


# ---------------------------------------------------------------- showing
def strips(config: LayerPlan, tensors: LayerPlan) -> tuple[Evidence, ...]:
    """Two strips, one below the other, the legend behind the first."""
    differing = diff_plans(config, tensors).layers
    words = {*(config.words[layer] for layer in differing), *(tensors.words[layer] for layer in differing)}
    names = sorted({letter(word): meaning(word) for word in words}.items())
    legend = ", ".join(f"{sign} {name}" for sign, name in names)
    verb = "differs" if len(differing) == 1 else "differ"
    text = f"{letters(config)}  ({legend}; {len(differing)} of {len(config.words)} {verb})"
    return Evidence(about("config"), text, "layers"), Evidence(about("tensors"), letters(tensors), "layers")


def layer_evidence(case: Case, layers: Sequence[int], container: str) -> list[Evidence]:
    """What is stored in these layers as a mixer, one line per sub-module."""
    found = decoder_layers(case.manifest.families)
    held = found[1] if found is not None else {}
    groups: dict[tuple[str, str], list[int]] = {}
    for layer in layers:
        for module in mixer_modules(held.get(layer, ())):
            leaves = _brace([name.partition(".")[2] for name in held[layer] if name.startswith(module + ".")])
            groups.setdefault((module, leaves), []).append(layer)
    return [
        Evidence(_files_of(case, container, module), f"{show(container + '.{}', (tuple(inside),))}.{module}.{leaves}")
        for (module, leaves), inside in list(groups.items())[:2]
    ]


def _files_of(case: Case, container: str, module: str) -> Place:
    inside = [f for f in case.manifest.families if f.template.startswith(f"{container}.{{}}.{module}.")]
    return in_files(sorted({file for family in inside for file in family.files}))


def _brace(leaves: list[str]) -> str:
    if len(leaves) == 1:
        return leaves[0]
    stems = sorted({leaf.removesuffix(".weight") for leaf in leaves})
    shown = ",".join(stems[:5]) + (",..." if len(stems) > 5 else "")
    return f"{{{shown}}} ({number_of((tuple(range(len(leaves))),))})"


def field_evidence(case: Case, plan: LayerPlan, layers: Sequence[int]) -> list[Evidence]:
    """The entries of the config that say so, with their lines; a default of the class is said to be one."""
    path = field_path(plan)
    if not plan.given:
        return [Evidence(Place(config_file(case)), f"{plan.field} is not stated; the class fills in its default")]
    value = get(case.config, path)
    if isinstance(value, list) and path[-1] in LISTS:
        inside = [layer for layer in layers if layer < len(value)]
        return [_entry(case, (*path, layer), value[layer]) for layer in inside[:3]]
    return [_entry(case, path, value)]


def _entry(case: Case, path: JsonPath, value: Any) -> Evidence:
    return Evidence(where(case.config, path), f"{dotted(path)} = {json_text(value)}")


# ---------------------------------------------------------------- rows
def rows_in_layers(case: Case, layers: Sequence[int], container: str) -> list[Row]:
    """The part of the reported rows that lies in these layers of the decoder."""
    wanted = set(layers)
    found = []
    for row in case.outcome.rows:
        inside = row.axes and row.template.partition(".{}.")[0] == container
        common = tuple(sorted(set(row.axes[0]) & wanted)) if inside else ()
        if common:
            found.append(replace(row, axes=(common, *row.axes[1:])))
    return found


# ---------------------------------------------------------------- writing
def write_plan(case: Case, plan: LayerPlan, words: Sequence[str | None]) -> tuple[Edit, ...]:
    """Edits that make this field of the config say `words`; empty when the spelling cannot express them."""
    path = field_path(plan)
    value = get(case.config, path)
    if path[-1] in LISTS and isinstance(value, list) and len(value) == len(words):
        return _list_entries(case, path, value, words)
    fields = write(CODECS[str(path[-1])], text_config(case.config), words)
    if fields is None:
        return (SetJson(config_file(case), (*path[:-1], LISTS[0]), _spelled(words)),)
    old = text_config(case.config)
    changed = {name: new for name, new in fields.items() if old.get(name) != new}
    edits = tuple(SetJson(config_file(case), (*path[:-1], name), new) for name, new in changed.items())
    return edits if _says(case, edits, str(path[-1]), words) else ()


def _says(case: Case, edits: tuple[Edit, ...], name: str, words: Sequence[str | None]) -> bool:
    """Whether the edited field reads back as the plan that was meant."""
    read = read_words(text_config(with_edits(case.config, edits)), name)
    return read is not None and [kind(a) for a in read] == [kind(b) for b in words]


def _list_entries(case: Case, path: JsonPath, value: list[Any], words: Sequence[str | None]) -> tuple[Edit, ...]:
    """Only the entries that differ, in the vocabulary of the others."""
    changed = [layer for layer, word in enumerate(words) if word and kind(canonical(value[layer])) != kind(word)]
    used = {layer: _own_word(value, words[layer]) for layer in changed}
    return tuple(SetJson(config_file(case), (*path, layer), word) for layer, word in used.items())


def _own_word(value: list[Any], word: str | None) -> str | None:
    """The word that this file uses for the same kind of layer, else the canonical one."""
    return next((own for own in value if isinstance(own, str) and kind(canonical(own)) == kind(word)), word)


def attention_words(case: Case, plan: LayerPlan) -> set[str]:
    """The different attention words of a list: with more than one, tensors cannot say which is meant."""
    value = get(case.config, field_path(plan))
    words = value if isinstance(value, list) else []
    return {word for word in words if isinstance(word, str) and kind(canonical(word)) == "attention"}


def _spelled(words: Sequence[str | None]) -> list[str]:
    return [word or "full_attention" for word in words]


def plan_list_path(case: Case) -> JsonPath | None:
    """The list field of the file that holds one word per layer."""
    path = text_config_path(case.config)
    fields = text_config(case.config)
    return next(((*path, name) for name in LISTS if isinstance(fields.get(name), list)), None)
