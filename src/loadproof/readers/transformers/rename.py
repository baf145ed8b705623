"""The reader's renaming and conversion rules, applied to families (core_model_loading.py:885-1460 of release 5.24).

Every renaming of the list is applied in order, chained; then at most one converter. A rule searches its pattern
anywhere in the name and replaces the *text that matched* once, literally, at its first occurrence, which may lie before
the match. `tests/readers` proves that applying a rule to a family equals applying it to each of its names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product

from msgspec import Struct

from loadproof.core.boxes import merge
from loadproof.core.loading import ConversionRule
from loadproof.core.tensors import Axes
from loadproof.readers.transformers.digits import ALL, partition, telling_digits, telling_digits_of_text
from loadproof.readers.transformers.needles import needles
from loadproof.readers.transformers.order import NaturalKey, first_key, last_key, natural_key
from loadproof.readers.transformers.pieces import (
    Piece,
    Sample,
    cut,
    is_clean,
    sample,
    spelled,
    used_axes,
    write_out,
)
from loadproof.readers.transformers.release import NEWEST, Semantics

_DIGIT = re.compile("[0-9]")
_REFERENCE = re.compile(r"\\(\d+)")
_PAIR = r"layers\.(\d+)\.(mixer|attn_alpha|mlp_alpha)(?=\.|$)"
_PAIR_NAMES = {"attn_alpha": "lambda_1", "mlp_alpha": "lambda_2"}
# The words of LayerPairCollapse (core_model_loading.py:1344): its numbers are halved, not copied.
_COMPUTES = ("LayerPairCollapse", "Inkling2IndexOffsetWeightRename")


class Edit(Struct, frozen=True):
    """Replace ``text[begin:end]`` by `parts`: literal text, or a (begin, end) range to copy from the same text."""

    begin: int
    end: int
    parts: tuple[str | tuple[int, int], ...]
    source: int  # which source pattern matched


class Rule:
    """A `ConversionRule` ready to be applied as a release applies it."""

    def __init__(self, spec: ConversionRule, semantics: Semantics = NEWEST) -> None:
        self.spec = spec
        self.everywhere = semantics.replaces_everywhere
        self.all_groups = semantics.numbers_groups or spec.kind == "GroupWeightRename"
        self.is_converter = spec.kind == "WeightConverter"
        self.is_group = spec.kind == "GroupWeightRename"
        self.computes = spec.kind in _COMPUTES
        self.regex = re.compile(_PAIR if spec.kind == "LayerPairCollapse" else spec.regex)
        self.needles = needles(self.regex.pattern)
        self.prefixes = _prefixes(spec)
        self.told = telling_digits(self.regex.pattern)
        for text in (*(self.prefixes or ()), *(spec.targets if self.is_converter else ())):
            self.told |= telling_digits_of_text(text)

    def cannot_match(self, form: str) -> bool:
        """Whether a look at the words of a form shows that none of its members matches."""
        return self.needles is not None and not any(needle in form for needle in self.needles)

    def find(self, text: str) -> Edit | None:
        """The edit this rule makes to one name, or None when it does not match."""
        begin = 0
        if self.prefixes is not None:
            prefix = next((p for p in self.prefixes if text.startswith(p)), None)
            if prefix is None:
                return None
            begin = len(prefix)
        match = self.regex.search(text[begin:])
        return None if match is None else self._edit(match, begin)

    def _edit(self, match: re.Match[str], shift: int) -> Edit:
        begin, end = match.start() + shift, match.end() + shift
        if self.spec.kind == "LayerPairCollapse":
            layer, word = int(match[1]), match[2]
            word = _PAIR_NAMES.get(word, ("self_attn", "mlp")[layer % 2])
            return Edit(begin, end, (f"layers.{layer // 2}.{word}",), 0)
        group = next(name for name, value in match.groupdict().items() if value is not None)
        source, first = int(group[1:]), self.regex.groupindex[group]
        target = self.spec.targets[source if self.is_group else 0]
        parts: list[str | tuple[int, int]] = []
        for i, text in enumerate(_REFERENCE.split(target)):
            if i % 2 == 0:
                parts.append(text)
            elif not self.all_groups and text != "1":
                parts.append("\\" + text)
            elif self.spec.offset is not None and self.computes:
                parts.append(str(int(match[first + 1]) + self.spec.offset))
            else:
                low, high = match.span(first + int(text))
                parts.append((low + shift, high + shift))
        return Edit(begin, end, tuple(parts), source)


def _prefixes(spec: ConversionRule) -> tuple[str, ...] | None:
    """A rule of a nested model only sees names below it: base + scope first, then scope alone."""
    if spec.scope is None:
        return None
    scope = f"{spec.scope}." if spec.scope else ""
    base = f"{spec.base}." if spec.base else ""
    return (base + scope, scope)


def apply_rules(pieces: list[Piece], rules: Iterable[Rule]) -> list[Piece]:
    """The pieces under the names that the rules give them."""
    rules = list(rules)
    for rule in rules:
        if not rule.is_converter:
            pieces = apply_group(pieces, rule) if rule.is_group else [p for q in pieces for p in apply(q, rule)]
    open_, taken = pieces, []
    for rule in rules:
        if rule.is_converter and open_:
            results = [p for q in open_ for p in apply(q, rule)]
            open_ = [p for p in results if p.pattern is None]
            taken += [p for p in results if p.pattern is not None]
    return open_ + taken


def apply(piece: Piece, rule: Rule) -> list[Piece]:
    """One rule on one piece; the result has more than one piece only where the rule tells its indices apart."""
    if rule.cannot_match(piece.form):
        return [piece]
    used = used_axes(piece.form)
    if not used and rule.find(piece.form) is None:
        return [piece]
    boxes = partition(piece.axes, rule.told, used)
    found = [(box, rule.find(sample(piece.form, box).text)) for box in boxes]
    if all(edit is None for _, edit in found):
        return [piece]
    results: dict[tuple[str, str | None], list[Axes]] = {}
    for box, edit in found:
        for part, form, pattern in _after(piece.form, box, edit, rule):
            results.setdefault((form, pattern), []).append(part)
    return [Piece(piece.family, axes, *key) for key, parts in results.items() for axes in merge(parts)]


def _after(form: str, box: Axes, edit: Edit | None, rule: Rule) -> list[tuple[Axes, str, str | None]]:
    """(members, new form, converter source) for a box whose members are treated alike."""
    if edit is None:
        return [(box, form, None)]
    if not rule.computes:
        member = sample(form, box)
        renamed = rewrite(member, edit, rule)
        if renamed is not None and is_clean(renamed):
            return [(box, renamed, _source(rule, edit))]
    return [_spell_out(form, single, rule) for single in partition(box, ALL, used_axes(form))]


def _cut_prefix(rule: Rule, text: str) -> int:
    return 0 if rule.prefixes is None else len(next(p for p in rule.prefixes if text.startswith(p)))


def _source(rule: Rule, edit: Edit) -> str | None:
    return rule.spec.sources[edit.source] if rule.is_converter else None


def _spell_out(form: str, box: Axes, rule: Rule) -> tuple[Axes, str, str | None]:
    """The same for one name, its numbers written out."""
    member = Sample(spelled(form, box), ())
    edit = rule.find(member.text)
    assert edit is not None
    renamed = rewrite(member, edit, rule)
    assert renamed is not None
    return box, renamed, _source(rule, edit)


def rewrite(member: Sample, edit: Edit, rule: Rule) -> str | None:
    """The form after the edit; None where the outcome depends on the numbers themselves.

    The library writes ``rest.replace(matched, new, 1)`` on the name after a scope prefix (old releases without the 1).
    Another occurrence of the matched text takes the edit too, or takes it away; whether there is one must not depend on
    an index.
    """
    text, shift = member.text, _cut_prefix(rule, member.text)
    matched = text[edit.begin : edit.end]
    if member.spans and _DIGIT.search(matched) and _twin(text, edit, shift):
        return None
    new = [part if isinstance(part, str) else cut(member, *part) for part in edit.parts]
    if None in new:
        return None
    written, out, last = "".join(part for part in new if part is not None), list[str](), 0
    for begin in _occurrences(text, matched, shift, rule.everywhere):
        before = cut(member, last, begin)
        if before is None:
            return None
        out += [before, written]
        last = begin + len(matched)
    tail = cut(member, last, len(text))
    return None if tail is None else "".join(out) + tail


def _twin(text: str, edit: Edit, shift: int) -> bool:
    """Whether some other place would hold the matched text if the digits were others."""
    blind = _DIGIT.sub("0", text)
    wanted = blind[edit.begin : edit.end]
    first = blind.index(wanted, shift)
    return first != edit.begin or blind.find(wanted, first + 1) >= 0


def _occurrences(text: str, part: str, shift: int, everywhere: bool) -> list[int]:
    """Where ``str.replace`` would replace."""
    found = [text.index(part, shift)]
    while everywhere and part:
        following = text.find(part, found[-1] + len(part))
        if following < 0:
            break
        found.append(following)
    return found


def apply_group(pieces: list[Piece], rule: Rule) -> list[Piece]:
    """A `GroupWeightRename`: its later patterns stay off until a key has matched the first one, in key order."""
    matches = [(p, source) for piece in pieces for p, source in _by_source(piece, rule)]
    guards = [first_key(p.family.template, p.axes) for p, source in matches if source == 0]
    guard = min(guards, default=None)
    out: list[Piece] = []
    for piece, source in matches:
        if source in (None, 0):
            out += apply(piece, rule) if source == 0 else [piece]
        else:
            on, off = _split_by_key(piece, guard)
            out += off + [p for q in on for p in apply(q, rule)]
    return out


def _by_source(piece: Piece, rule: Rule) -> list[tuple[Piece, int | None]]:
    groups: dict[int | None, list[Axes]] = {}
    for box in partition(piece.axes, rule.told, used_axes(piece.form)):
        edit = rule.find(sample(piece.form, box).text)
        groups.setdefault(None if edit is None else edit.source, []).append(box)
    return [
        (Piece(piece.family, axes, piece.form, piece.pattern), source)
        for source, boxes in groups.items()
        for axes in merge(boxes)
    ]


def _split_by_key(piece: Piece, guard: NaturalKey | None) -> tuple[list[Piece], list[Piece]]:
    """The members read after the guard, and those read before it."""
    if guard is None or last_key(piece.family.template, piece.axes) < guard:
        return [], [piece]
    if first_key(piece.family.template, piece.axes) > guard:
        return [piece], []
    sides: tuple[list[Axes], list[Axes]] = ([], [])
    for at in product(*piece.axes):
        before = natural_key(write_out(piece.family.template, at)) < guard
        sides[before].append(tuple((i,) for i in at))
    on, off = ([Piece(piece.family, axes, piece.form) for axes in merge(side)] for side in sides)
    return on, off
