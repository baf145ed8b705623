"""The `key_mapping` of transformers 4: ordered (pattern, replacement) pairs, the first that matches is applied alone.

Applied with ``re.subn``, so every match in a name is replaced (modeling_utils.py:5224 of release 4.57). A rule of kind
``KeyMapping`` holds the pattern in `sources` and the replacement in `targets`, as the class states them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.boxes import merge
from loadproof.core.loading import ConversionRule
from loadproof.core.tensors import Axes
from loadproof.readers.transformers.digits import ALL, partition, telling_digits
from loadproof.readers.transformers.ignore import LONGEST_NAME
from loadproof.readers.transformers.pieces import Piece, Sample, cut, is_clean, sample, spelled, used_axes

_REFERENCE = re.compile(r"\\([0-9])")


class KeyMapping:
    """All pairs of a class."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self.pairs = [(re.compile(pattern), replacement) for pattern, replacement in pairs]
        self.told = frozenset[str]().union(*(telling_digits(pattern) for pattern, _ in pairs))

    @classmethod
    def of(cls, rules: Iterable[ConversionRule]) -> list[KeyMapping]:
        """The mapping that the rules hold: one, or none."""
        pairs = [
            (source, target)
            for rule in rules
            for source, target in zip(rule.sources, rule.targets, strict=False)
            if rule.kind == "KeyMapping"
        ]
        return [cls(pairs)] if pairs else []

    def apply(self, pieces: list[Piece]) -> list[Piece]:
        """The pieces under their mapped names."""
        return [renamed for piece in pieces for renamed in self._apply(piece)]

    def _apply(self, piece: Piece) -> list[Piece]:
        results: dict[str, list[Axes]] = {}
        for box in partition(piece.axes, self.told, used_axes(piece.form)):
            form = self._rename(sample(piece.form, box), piece.form)
            if form is not None and is_clean(form):
                results.setdefault(form, []).append(box)
                continue
            for single in partition(box, ALL, used_axes(piece.form)):
                written = self._rename(Sample(spelled(piece.form, single), ()), piece.form)
                results.setdefault(piece.form if written is None else written, []).append(single)
        return [Piece(piece.family, axes, form) for form, boxes in results.items() for axes in merge(boxes)]

    def _rename(self, member: Sample, form: str) -> str | None:
        """The form after the first pair that matches; None where it depends on the numbers themselves."""
        if len(member.text) > LONGEST_NAME:
            return form if member.spans else member.text
        for regex, replacement in self.pairs:
            matches = list(regex.finditer(member.text))
            if matches:
                return _substitute(member, matches, replacement)
        return form if member.spans else member.text


def _substitute(member: Sample, matches: list[re.Match[str]], replacement: str) -> str | None:
    parts, last = list[str | None](), 0
    pieces = _REFERENCE.split(replacement)
    if any("\\" in text for text in pieces[::2]):
        return None if member.spans else matches[0].re.sub(replacement, member.text)
    for match in matches:
        parts.append(cut(member, last, match.start()))
        for i, text in enumerate(pieces):
            parts.append(cut(member, *match.span(int(text))) if i % 2 else text)
        last = match.end()
    parts.append(cut(member, last, len(member.text)))
    return None if None in parts else "".join(part for part in parts if part is not None)
