"""LP603 quant-set-mismatch: other modules are packed than the config declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loadproof.config import where
from loadproof.config.quantization import TAKE_DENSE
from loadproof.config.skip_list import ADDS_DEFAULTS, SkipList
from loadproof.core.boxes import subtract_all
from loadproof.core.case import Case
from loadproof.core.config import dotted
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence, Note
from loadproof.core.severity import Severity
from loadproof.lexicon import extras
from loadproof.lexicon.ends import EMBEDDINGS, TEXT_HEAD_WEIGHT
from loadproof.quantization.census import Module
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.quantized_modules import line, number_of_modules, rows_in, severity_of, weight_part
from loadproof.rules.evidence.skipped_modules import as_stack, covered, entries_for
from loadproof.rules.evidence.survey import Declaration, Survey, survey
from loadproof.rules.evidence.wording import json_text, plural
from loadproof.rules.rows import of_kind

_BITSANDBYTES = ("bitsandbytes_4bit", "bitsandbytes_8bit")
_HEAD = re.compile(TEXT_HEAD_WEIGHT)


class _Sets(Struct, frozen=True):
    listed: list[Module]  # packed, and the list leaves them alone
    unlisted: list[Module]  # dense, and the list does not name them
    entries: list[str]  # of the list: they name packed modules


def check(case: Case) -> Iterable[Found]:
    """The list of exceptions against what is packed, by the rule of the release for comparing names."""
    found = survey(case)
    declaration = found.declaration
    if declaration is None or not found.census.packed or not declaration.layouts or case.manifest.names_only:
        return
    sets = _Sets(*_listed(case, found, declaration), *_entries(found, declaration))
    if sets.listed:
        yield _finding(case, found, sets.listed, _of_listed(sets), sets)
    if sets.unlisted:
        yield _finding(case, found, sets.unlisted, _of_unlisted(declaration, sets), sets)


def _listed(case: Case, found: Survey, declaration: Declaration) -> tuple[list[Module], list[Module]]:
    skips, packed, dense = declaration.skips, list[Module](), list[Module]()
    for module in found.census.packed:
        packed += [replace(module, axes=box) for box in covered(module, skips)[0]]
    packed += [m for m in found.census.packed if declaration.method == "gptq" and _is_head(m)]
    wanted = {row.template.rpartition(".")[0] for row in of_kind(case.outcome.rows, "missing")}
    for module in found.census.dense if skips.path[0] else _inside(found):
        stack = as_stack(module)
        if stack is not module and stack.template in wanted:
            dense.append(module)
        elif stack is not module and not covered(stack, skips)[1]:
            continue
        elif (module.template in wanted or _is_linear(module, found, declaration)) and not _is_unread(case, module):
            dense += [replace(module, axes=box) for box in covered(module, skips)[1]]
    return packed, dense


def _is_unread(case: Case, module: Module) -> bool:
    """A prediction head that is left over: not for its quantization."""
    return _is_extra(module) and bool(rows_in(case.outcome.rows, [module]))


def _entries(found: Survey, declaration: Declaration) -> tuple[list[str]]:
    named = (entry for m in found.census.packed for entry, _ in declaration.skips.kept(m.template, m.axes))
    return (list(dict.fromkeys(named)),)


def _inside(found: Survey) -> Iterator[Module]:
    """Of methods without a list: dense modules that are packed at other indices."""
    packed = {module.template for module in found.census.packed}
    yield from (module for module in found.census.dense if module.template in packed)


def _is_linear(module: Module, found: Survey, declaration: Declaration) -> bool:
    """Whether the method would have packed this dense module: one that it packs elsewhere, a projection beside packed
    ones, a head, or a projection of a prediction head. Of anything else names do not tell."""
    leaf = module.template.rpartition(".")[2]
    weight = module.parts["weight"]
    if leaf in EMBEDDINGS or (weight.shape is not None and len(weight.shape) != 2):
        return False
    if any(packed.template == module.template for packed in found.census.packed):
        return True
    if _is_head(module):
        return declaration.skips.given and declaration.method not in ADDS_DEFAULTS
    beside = any(_is_beside(module, packed) for packed in found.census.packed)
    if _PROJECTION.search(module.template):
        return beside or _drifted(module, declaration.skips)
    first = module.template.partition(".")[0]
    return first in extras.PREDICTION_HEADS and leaf in _JOINS


def _is_head(module: Module) -> bool:
    return _HEAD.search(f"{module.template}.weight") is not None


_PROJECTION = re.compile(r"(?:_proj|\.(?:qkv|proj|fc1|fc2|linear_fc1|linear_fc2))\Z")
_JOINS = ("fc", "eh_proj")  # what a prediction head reads two inputs through


def _is_beside(module: Module, packed: Module) -> bool:
    """Parts of one attention or feed-forward block at the same indices."""
    return (
        module.template.rpartition(".")[0] == packed.template.rpartition(".")[0]
        and len(module.axes) == len(packed.axes)
        and subtract_all([module.axes], [packed.axes]) != [module.axes]
    )


def _drifted(module: Module, skips: SkipList) -> bool:
    """Whether an entry names this module under another prefix: `visual.` where the file has `model.visual.`."""
    name = module.template.replace("{}", "0")
    return any(_same_but_prefix(entry, name) for entry in skips.entries)


def _same_but_prefix(entry: str, name: str) -> bool:
    plain = re.sub(r"\d+", "0", entry.removeprefix("re:").rstrip("$").removesuffix(".*").replace("\\", ""))
    parts = plain.split(".")
    tails = (".".join(parts[number:]) for number in range(min(len(parts), 4)))
    return any(len(tail) > 3 and f".{tail}." in f".{name}." for tail in tails)


def _of_listed(sets: _Sets) -> str:
    number = number_of_modules(sets.listed)
    if not sets.entries:
        return f"{plural(number, 'head')} is stored packed, and gptq never packs the head of a model"
    verb = "is" if number == 1 else "are"
    return f"{plural(number, 'module')} {verb} stored packed, and the list of exceptions names {_it(number)}"


def _of_unlisted(declaration: Declaration, sets: _Sets) -> str:
    number = number_of_modules(sets.unlisted)
    verb = "is" if number == 1 else "are"
    field = dotted((*declaration.path, *declaration.skips.path)) if declaration.skips.path[0] else ""
    which = f", and {field} does not name {_it(number)}" if field else " where the method packs every linear layer"
    return f"{plural(number, 'module')} {verb} stored dense{which}"


def _it(number: int) -> str:
    return "it" if number == 1 else "them"


def _finding(case: Case, found: Survey, modules: Sequence[Module], headline: str, sets: _Sets) -> Found:
    declaration = found.declaration
    assert declaration is not None
    rows = rows_in(case.outcome.rows, modules)
    field = (*declaration.path, *declaration.skips.path) if declaration.skips.path[0] else declaration.path
    stated = f"{field[-1]} = {json_text(list(declaration.skips.entries))}"
    is_listed = modules is sets.listed
    evidence = [Evidence(where(case.config, field), stated if declaration.skips.path[0] else "")]
    evidence += [line(module, weight_part(module)) for module in modules[:3]]
    return Found(
        severity=_severity(case, declaration, modules, rows),
        confidence="certain" if rows or is_listed or _is_packed_elsewhere(found, modules) else "likely",
        headline=headline,
        evidence=tuple(evidence),
        rows=rows,
        fixes=_fixes(case, found, declaration, sets, is_listed),
        notes=_notes(declaration),
    )


def _is_packed_elsewhere(found: Survey, modules: Sequence[Module]) -> bool:
    """Whether each of these dense modules is packed at other indices, which makes it a linear one beyond doubt."""
    packed = {module.template for module in found.census.packed}
    return all(module.template in packed for module in modules)


def _severity(case: Case, declaration: Declaration, modules: Sequence[Module], rows: Sequence[object]) -> Severity:
    if rows:
        return "error"
    if declaration.method in _BITSANDBYTES:
        return "info"
    if declaration.method in TAKE_DENSE or all(_is_extra(module) for module in modules):
        return "warning"
    return severity_of(case)


def _is_extra(module: Module) -> bool:
    return module.template.partition(".")[0] in extras.PREDICTION_HEADS


def _notes(declaration: Declaration) -> tuple[Note, ...]:
    if declaration.method in _BITSANDBYTES:
        return (Note("note", "it loads all the same: bitsandbytes goes by the tensors of each module"),)
    if declaration.method in TAKE_DENSE:
        return (Note("note", "no effect where the weights are dequantized (CPU); wrong where the packed form is used"),)
    return ()


def _fixes(case: Case, found: Survey, declaration: Declaration, sets: _Sets, is_listed: bool) -> tuple[Fix, ...]:
    skips = declaration.skips
    path = (*declaration.path, *skips.path)
    entries = _right(found, declaration, sets) if skips.path[0] else None
    if entries is None or (is_listed and not sets.entries):
        return (Fix("load it with an engine that goes by the tensors, or quantize again", "manual"),)
    edit = SetJson(case.config.path or "config.json", path, entries)
    word = "take out" if is_listed and not sets.unlisted else "correct"
    named = f" {', '.join(sets.entries[:3])}" if word == "take out" else f" {dotted(path)}"
    return (Fix(f"{word}{named}: {plural(len(entries), 'entry').replace('entrys', 'entries')}", "lossless", (edit,)),)


def _right(found: Survey, declaration: Declaration, sets: _Sets) -> list[str] | None:
    """The list without the entries that name packed modules, and with entries for the dense ones that it has to name."""
    skips = declaration.skips
    kept = tuple(entry for entry in skips.entries if entry not in sets.entries)
    short = SkipList(skips.method, skips.path, kept, True, skips.boundary)
    wanted = [replace(m, axes=box) for m in found.census.dense for box in covered(m, skips)[0]] + sets.unlisted
    left = [replace(m, axes=box) for m in map(as_stack, wanted) for box in covered(m, short)[1]]
    more = entries_for(left, found.census.packed, skips)
    return None if more is None else [*kept, *(entry for entry in more if entry not in kept)]


RULE = Rule(
    code="LP603",
    slug="quant-set-mismatch",
    group="quantization",
    title="Other modules are packed than the config declares",
    check=check,
)
