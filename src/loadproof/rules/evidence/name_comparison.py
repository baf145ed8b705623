"""Two sets of stored names against each other: what was only renamed, and what role each tensor plays."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.boxes import subtract_all
from loadproof.core.families import count
from loadproof.core.outcome import Row
from loadproof.core.results import Renaming, Role
from loadproof.core.tensors import Axes, Family
from loadproof.lexicon import adapters, companions, ends, experts, extras, feed_forward, mixers
from loadproof.lexicon.words import any_of
from loadproof.rules.evidence.name_differences import votes
from loadproof.rules.evidence.renamings import Rewrite

STEPS = 6  # renamings that are told apart


# Looked at in this order; the first that is found anywhere in the name decides.
_ROLES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("adapter", re.compile(rf"{adapters.ADAPTER}|{adapters.WRAPPED_BASE}|(^|\.)lora_")),
    (
        "quantization",
        re.compile(rf"{companions.COMPANION}|\.({any_of(companions.KV_SCALES)})\Z"),
    ),
    ("vision or audio", re.compile(extras.MULTIMODAL)),
    ("prediction heads", re.compile(extras.PREDICTION)),
    ("head", re.compile(rf"{ends.HEAD}|{ends.TASK_HEAD}")),
    ("embedding", re.compile(ends.ANY_EMBEDDING)),
    ("experts", re.compile(experts.EXPERT)),
    ("router", re.compile(experts.ROUTER)),
    ("linear mixer", re.compile(mixers.LINEAR)),
    ("norms", re.compile(r"(norm|ln_\w|layernorm)\w{0,60}\.(weight|bias)$")),
    ("attention", re.compile(r"attn|attention")),
    ("feed forward", re.compile(rf"\.(?:{any_of((*feed_forward.MODULES, *feed_forward.MATRICES))})\b")),
)


def role_of(template: str) -> str:
    """What part of a model a name belongs to, in words; "other" where no word is known."""
    return next((name for name, pattern in _ROLES if pattern.search(template)), "other")


def roles(first: Iterable[Family], second: Iterable[Family]) -> list[Role]:
    """The roles of both sides, in the order of the table, only those that occur."""
    a, b = _tally(first), _tally(second)
    ordered = [name for name, _ in _ROLES] + ["other"]
    return [Role(name, a.get(name, 0), b.get(name, 0)) for name in ordered if name in a or name in b]


def _tally(families: Iterable[Family]) -> dict[str, int]:
    found: dict[str, int] = {}
    for family in families:
        role = role_of(family.template)
        found[role] = found.get(role, 0) + count(family.axes)
    return found


def find_renamings(
    first: Iterable[Family], second: Iterable[Family]
) -> tuple[list[Renaming], list[Family], list[Family]]:
    """(renamings, rest of the first, rest of the second) for families that only one side holds.

    A renaming is kept where the renamed tensor stands on the other side with the same shape.
    """
    left, right = list(first), list(second)
    found: list[Renaming] = []
    while len(found) < STEPS:
        best = max((_try(rewrite, left, right) for rewrite in _suggestions(left, right)), key=_gain, default=None)
        if best is None or not best[0].names:
            break
        found.append(best[0])
        left, right = best[1], best[2]
    return found, left, right


_Attempt = tuple[Renaming, list[Family], list[Family]]


def _gain(attempt: _Attempt) -> int:
    return attempt[0].names


def _suggestions(left: list[Family], right: list[Family]) -> list[Rewrite]:
    rows = [Row("unexpected", f.template, f.axes, found=f.shape, stored=f.template) for f in left]
    rows += [Row("missing", f.template, f.axes, expected=f.shape) for f in right]
    return [Rewrite(*vote) for vote in votes(tuple(rows))]


def _try(rewrite: Rewrite, left: list[Family], right: list[Family]) -> _Attempt:
    """What this renaming maps from the left onto the right."""
    wanted = {(family.template, family.shape): family for family in right}
    taken: dict[tuple[str, object], list[Axes]] = {}
    rest: list[Family] = []
    moved: list[Family] = []
    for family in left:
        target = wanted.get((rewrite(family.template), family.shape))
        if target is None or rewrite(family.template) == family.template or target.axes != family.axes:
            rest.append(family)
            continue
        moved.append(family)
        taken.setdefault((target.template, target.shape), []).append(family.axes)
    kept = [f for f in right if subtract_all([f.axes], taken.get((f.template, f.shape), ()))]
    old, new = (
        _dotted(rewrite.context + parts + _shared_next(rewrite, moved)) for parts in (rewrite.before, rewrite.after)
    )
    return Renaming(old, new, sum(count(family.axes) for family in moved)), rest, kept


def _shared_next(rewrite: Rewrite, moved: list[Family]) -> tuple[str, ...]:
    """The part behind the change where all renamed names share it: ``model.visual.`` says more than ``model.``."""
    position = len(rewrite.context) + len(rewrite.before)
    following = {tuple(family.template.split(".")[position : position + 1]) for family in moved}
    shared = following.pop() if len(following) == 1 else ()
    return () if shared == ("{}",) else shared


def _dotted(parts: tuple[str, ...]) -> str:
    return "".join(part + "." for part in parts)
