"""The codes: what each family of them is about, which are taken though no check finds them, and whose each is."""

from __future__ import annotations

import sys

from loadproof.rules.base import Rule
from loadproof.rules.registry import ADAPTERS, LIVE, RANK, load, module_of

FAMILIES = {
    "LP0": "Files",
    "LP1": "Index and shards",
    "LP2": "Embedding, head, ties, vocabulary",
    "LP3": "Layer plan",
    "LP4": "Names and layout",
    "LP5": "Shapes and types",
    "LP6": "Quantization",
    "LP7": "Reader",
    "LP8": "Adapters",
    "LP9": "Live models",
}

# Codes and slugs are stable. These are taken: known from error texts, or set aside for a rule that is not written yet.
RESERVED = {
    "LP509": "non-finite",
    "LP702": "tp-divisibility",
    "LP704": "engine-not-checkpoint",
}


def all_rules() -> list[Rule]:
    """The rules of checkpoints and of live models, by code."""
    return sorted(map(load, _places()), key=lambda rule: rule.code)


def rule_of(code: str) -> Rule | None:
    """The rule of this code, None where no check finds it. Rules that were asked already are looked at first."""
    places = sorted(_places(), key=lambda place: module_of(place) not in sys.modules)
    return next((rule for rule in map(load, places) if rule.code == code), None)


def slug_of(code: str) -> str:
    """The slug of a rule or of a reserved code. Raises `KeyError` for a code that is neither."""
    rule = rule_of(code)
    return rule.slug if rule is not None else RESERVED[code]


def _places() -> list[str]:
    return list(dict.fromkeys([*(place for place, _ in (*RANK, *ADAPTERS)), *LIVE]))
