"""What loadproof reads from the source, in the form of `real.facts`, and where the two differ."""

from __future__ import annotations

from typing import Any

from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.core.families import names_of, split_name
from loadproof.core.loading import ConversionRule
from loadproof.interpret import expect
from loadproof.readers.transformers.private import loading_of


def read(name: str, raw: dict[str, Any], source: str | None = None) -> Expectation:
    return expect(
        ModelConfig("config.json", raw), ".", class_name=name, source=source, use_cache=False, is_trusted=True
    )


def as_facts(found: Expectation) -> dict[str, Any]:
    named = [(f, n) for f in found.families for n in names_of(f.template, f.axes)]
    return {
        "parameters": {n: list(f.shape) for f, n in named if f.kind == "parameter"},
        "buffers": {n: list(f.shape) for f, n in named if f.kind == "buffer"},
        "ties": dict(found.ties),
        "tied": _groups(found.ties),
        "ignore_on_save": list(loading_of(found).ignore_on_save),
        "ignore_missing": list(loading_of(found).ignore_missing),
        "ignore_unexpected": list(loading_of(found).ignore_unexpected),
        "all_buffers": set(found.buffer_names),
        "base_model_prefix": found.base_model_prefix,
        "rules": [_rule(r) for r in loading_of(found).rules],
    }


def _groups(ties: tuple[tuple[str, str], ...]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for target, source in ties:
        groups.setdefault(source, [source]).append(target)
    return sorted(sorted(names) for names in groups.values())


def _rule(rule: ConversionRule) -> dict[str, Any]:
    return {
        "kind": rule.kind,
        "sources": list(rule.sources),
        "targets": list(rule.targets),
        "regex": rule.regex,
        "scope": rule.scope,
        "base": rule.base,
        "offset": rule.offset,
        "operations": [[o.name, o.arguments] for o in rule.operations],
    }


def differing(truth: dict[str, Any], found: Expectation) -> list[str]:
    """The parts in which an expectation is not what the real model shows. Empty when they are equal."""
    ours = as_facts(found)
    wanted = {**truth, "all_buffers": {split_name(n)[0] for n in truth["all_buffers"]}}
    return [part for part, value in wanted.items() if not _same(part, value, ours[part])]


def _same(part: str, truth: Any, ours: Any) -> bool:
    if part != "rules":
        return bool(truth == ours)
    return len(truth) == len(ours) and all(
        {key: rule[key] for key in stated} == stated for stated, rule in zip(truth, ours, strict=True)
    )
