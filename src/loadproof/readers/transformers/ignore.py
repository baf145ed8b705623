"""Ignore patterns, searched in the names of whole families (modeling_utils.py:4925 of release 5.24)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.boxes import merge
from loadproof.core.expectation import Expectation
from loadproof.core.tensors import Axes, Family
from loadproof.readers.transformers.digits import partition, telling_digits
from loadproof.readers.transformers.needles import needles
from loadproof.readers.transformers.pieces import form_of, sample, used_axes
from loadproof.readers.transformers.private import loading_of
from loadproof.readers.transformers.release import Semantics

LONGEST_NAME = 512  # longer names are hostile; no pattern is tried on them
_CLASS_OR_ESCAPE = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
_UNBOUNDED = re.compile(r"[*+]|\{[0-9]*,\}")
_BOUNDED = re.compile(r"(?<![(*+?}])\?|\{[0-9]*,[0-9]+\}")
_MOST = 1_000  # patterns of one class
_MOST_PARTS = 16  # alternatives of one pattern that may have a length of their own


def is_tame(pattern: str) -> bool:
    """Whether a pattern takes at most quadratic time: no repeated group, at most two unbounded and four bounded repeats
    in each of its alternatives."""
    plain = _CLASS_OR_ESCAPE.sub("x", pattern)
    parts = _alternatives(plain)
    return len(pattern) <= 500 * min(len(parts), _MOST_PARTS) and all(map(_is_tame_part, parts))


def _is_tame_part(plain: str) -> bool:
    few = len(_UNBOUNDED.findall(plain)) <= 2 and len(_BOUNDED.findall(plain)) <= 4
    return few and not re.search(r"\)[*+{]", plain)


def _alternatives(plain: str) -> list[str]:
    """What stands between the bars outside of all parentheses; a rule of several sources has one for each."""
    parts, depth = [""], 0
    for char in plain:
        depth += (char == "(") - (char == ")")
        if char == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return parts


def costly(expectation: Expectation) -> str | None:
    """A pattern of the model class that could run for ever on a long name, shortened; no class of a real release has one.

    Remote code and the source of a release named by hand may say anything.
    """
    rules = [pattern for rule in loading_of(expectation).rules for pattern in (rule.regex, *rule.sources)]
    patterns = [*loading_of(expectation).ignore_missing, *loading_of(expectation).ignore_unexpected, *rules]
    if len(patterns) > _MOST:
        return f"{len(patterns):,} patterns"
    return next((pattern[:80] for pattern in patterns if not is_tame(pattern)), None)


def patterns_of(expectation: Expectation, semantics: Semantics) -> tuple[list[str], list[str]]:
    """(for missing names, for unexpected names). Old rotary and position buffers are forgiven."""
    unexpected = list(loading_of(expectation).ignore_unexpected)
    if any(name.endswith("rotary_emb.inv_freq") for name in expectation.buffer_names):
        unexpected.append(r"rotary_emb\.inv_freq")
    position_ids = any(name.endswith("position_ids") for name in expectation.buffer_names)
    if semantics.forgives_position_ids and position_ids:
        unexpected.append(r"(^|\.)position_ids$")
    return list(loading_of(expectation).ignore_missing), unexpected


class Ignore:
    """The alternation of some patterns, as the library joins them. Raises `re.error` on an invalid one."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self.text = "|".join(f"({pattern})" for pattern in patterns)
        self.regex = re.compile(self.text) if self.text else None
        self.needles = needles(self.text) if self.text else None

    def split(self, template: str, axes: Axes) -> tuple[list[Axes], list[Axes]]:
        """(the members that a pattern matches, the others)."""
        if self.regex is None or len(template) > LONGEST_NAME:
            return [], [axes]
        form = form_of(Family(template, axes, None, None))
        if self.needles is not None and not any(needle in form for needle in self.needles):
            return [], [axes]
        sides: tuple[list[Axes], list[Axes]] = ([], [])
        for box in partition(axes, telling_digits(self.text), used_axes(form)):
            sides[self.regex.search(sample(form, box).text) is None].append(box)
        return merge(sides[0]), merge(sides[1])
