"""LP603 quant-set-mismatch: other modules are packed than the config declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loadproof.config import where
from loadproof.config.quantization import TAKE_DENSE
from loadproof.config.skip_list import ADDS_DEFAULTS, SkipList
from loadproof.core.boxes import Nearby, subtract_all
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

MOST_COMPARED = 2_000_000  # pairs of a module template and an entry; the longest published lists make 50,000
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
    if declaration is None or case.manifest.names_only or not _is_read(found, declaration):
        return
    modules = len(found.census.packed) + len(found.census.dense)
    if modules * (len(declaration.skips.entries) + 1) > MOST_COMPARED:
        return  # such a list is made up
    sets = _Sets(*_listed(case, found, declaration), *_entries(found, declaration))
    if sets.listed:
        yield _finding(case, found, sets.listed, _of_listed(sets), sets)
    if sets.unlisted:
        yield _finding(case, found, sets.unlisted, _of_unlisted(declaration, sets), sets)


def _is_read(found: Survey, declaration: Declaration) -> bool:
    """Whether most of what is packed has a layout of the declared method; else the method is the fault (LP608)."""
    packed = found.census.packed
    read = [m for m in packed if m.match is not None and m.match.layout.name in declaration.layouts]
    return 2 * number_of_modules(read) > number_of_modules(packed)


def _listed(case: Case, found: Survey, declaration: Declaration) -> tuple[list[Module], list[Module]]:
    skips, packed, dense = declaration.skips, list[Module](), list[Module]()
    for module in found.census.packed:
        packed += [replace(module, axes=box) for box in covered(module, skips)[0]]
    packed += [m for m in found.census.packed if declaration.method == "gptq" and _is_head(m)]
    beside = _Packed(found.census.packed)
    wanted = {row.template.rpartition(".")[0] for row in of_kind(case.outcome.rows, "missing")}
    for module in found.census.dense if skips.path[0] else _inside(found):
        stack = as_stack(module)
        if stack is not module and stack.template in wanted:
            dense.append(module)
        elif stack is not module and not covered(stack, skips)[1]:
            continue
        elif (module.template in wanted or _is_linear(module, beside, declaration)) and not _is_unread(case, module):
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


def _is_linear(module: Module, beside: _Packed, declaration: Declaration) -> bool:
    """Whether the method would have packed this dense module: one that it packs elsewhere, a projection beside packed
    ones, a head, or a projection of a prediction head. Of anything else names do not tell."""
    leaf = module.template.rpartition(".")[2]
    weight = module.parts["weight"]
    if leaf in EMBEDDINGS or (weight.shape is not None and len(weight.shape) != 2):
        return False
    if module.template in beside.templates:
        return True
    if _is_head(module):
        return declaration.skips.given and declaration.method not in ADDS_DEFAULTS
    if _PROJECTION.search(module.template):
        return beside.holds(module) or _drifted(module, declaration.skips)
    first = module.template.partition(".")[0]
    return first in extras.PREDICTION_HEADS and leaf in _JOINS


def _is_head(module: Module) -> bool:
    return _HEAD.search(f"{module.template}.weight") is not None


_PROJECTION = re.compile(r"(?:_proj|\.(?:qkv|proj|fc1|fc2|linear_fc1|linear_fc2))\Z")
_JOINS = ("fc", "eh_proj")  # what a prediction head reads two inputs through


class _Packed:
    """The packed modules, to be asked whether a dense one stands among them."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.templates = {module.template for module in modules}
        self._blocks: dict[tuple[str, int], Nearby] = {}
        for module in modules:
            block = module.template.rpartition(".")[0], len(module.axes)
            self._blocks.setdefault(block, Nearby()).add(module.axes)

    def holds(self, module: Module) -> bool:
        """Whether a part of the same attention or feed-forward block is packed, at some of its indices."""
        block = self._blocks.get((module.template.rpartition(".")[0], len(module.axes)))
        near = block.boxes_near(module.axes) if block is not None else []
        return subtract_all([module.axes], near) != [module.axes]


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
        severity=_severity(case, declaration, modules, rows, is_listed),
        confidence="certain" if rows or is_listed or _is_packed_elsewhere(found, modules) else "likely",
        headline=headline,
        evidence=tuple(evidence),
        rows=rows,
        fixes=_fixes(case, found, declaration, sets, is_listed),
        notes=_notes(declaration, is_listed),
    )


def _is_packed_elsewhere(found: Survey, modules: Sequence[Module]) -> bool:
    """Whether each of these dense modules is packed at other indices, which makes it a linear one beyond doubt."""
    packed = {module.template for module in found.census.packed}
    return all(module.template in packed for module in modules)


def _severity(
    case: Case, declaration: Declaration, modules: Sequence[Module], rows: Sequence[object], is_listed: bool
) -> Severity:
    if rows:
        return "error"
    if all(_is_extra(module) for module in modules):
        return "warning"  # of no account to this reader, which drops them
    is_known = case.outcome.inconclusive is None and case.expectation.inconclusive is None and not case.outcome.raises
    if is_known or (declaration.method in _BITSANDBYTES and not is_listed):
        return "info"
    return "warning" if declaration.method in TAKE_DENSE else severity_of(case)


def _is_extra(module: Module) -> bool:
    return module.template.partition(".")[0] in extras.PREDICTION_HEADS


def _notes(declaration: Declaration, is_listed: bool) -> tuple[Note, ...]:
    if declaration.method in _BITSANDBYTES:
        text = "it loads all the same: bitsandbytes packs dense weights on the way"
        return () if is_listed else (Note("note", text),)
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
