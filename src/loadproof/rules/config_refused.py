"""LP017 config-refused: the class cannot be built from this config, and which field it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from time import perf_counter
from typing import Any

from msgspec import Struct

from loadproof.config.lines import where
from loadproof.config.values import dotted
from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.whatif_config import expectation_if
from loadproof.rules.wording import json_text
from loadproof.types import Case, Confidence, DeleteJson, Evidence, Expectation, Finding, Fix, JsonPath

_NEVER = frozenset(("architectures", "auto_map", "model_type", "transformers_version"))
_SECONDS = 3.0  # for all trials; one takes a tenth of a second
_ALIKE = 0.7
_LONGEST = 160  # characters of an exception's text in the headline; the outcome line has all of it
_NESTED = 2


class Culprit(Struct, frozen=True):
    """A field without which the class builds, and what it then falls back to."""

    path: JsonPath
    value: Any
    default: Any
    is_named: bool  # the exception names the field or its value


def check(case: Case) -> Iterable[Finding]:
    if case.expectation.raises is None or not case.config.raw:
        return
    said = " ".join(case.expectation.raises.split())
    said = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
    culprit = _culprit(case, said)
    used = case.expectation.class_name or case.expectation.model_type
    place = (Evidence(case.expectation.raises_at, "raised here", "source"),) if case.expectation.raises_at else ()
    if culprit is None:
        headline = f"{used} cannot be built from this config: {said}"
        evidence = (Evidence(case.config.path or "config.json", "no single field explains it"), *place)
        fix = Fix("compare config.json with the one of the model this was made from: loadproof diff", "manual")
        yield Finding("LP017", "config-refused", "error", "possible", headline, evidence, (), 0, (fix,))
        return
    name = dotted(culprit.path)
    headline = f"{name} = {json_text(culprit.value)} is refused: {said}"
    evidence = (
        Evidence(where(case.config, culprit.path), f"{name} = {json_text(culprit.value)}"),
        Evidence("", f"without it {used} is built{_falling_back(culprit.default)}", "note"),
        *place,
    )
    confidence: Confidence = "certain" if culprit.is_named else "likely"
    fix = Fix(_advice(name, culprit), "manual")
    yield Finding("LP017", "config-refused", "error", confidence, headline, evidence, (), 0, (fix,))


def _falling_back(default: Any) -> str:
    return "" if default is None else f", with {json_text(default)}"


def _advice(name: str, culprit: Culprit) -> str:
    value, default = culprit.value, culprit.default
    told = f"set {name} to what the model was made with"
    if not isinstance(value, str) or not isinstance(default, str):
        return told
    is_alike = SequenceMatcher(None, value.lower(), default.lower()).ratio() > _ALIKE
    return f'did you mean "{default}"? {told}' if is_alike else told


def _culprit(case: Case, said: str) -> Culprit | None:
    """The first field that, left out, lets the class be built: the ones the exception speaks of are tried first."""
    started = perf_counter()
    fields = sorted(_fields(case.config.raw, ()), key=lambda item: not _is_named(item, said))
    for path, value in fields:
        if perf_counter() - started > _SECONDS:
            return None
        made = expectation_if(case, (DeleteJson(case.config.path or "config.json", path),))
        if made is not None:
            return Culprit(path, value, _default(made, path), _is_named((path, value), said))
    return None


def _fields(node: dict[str, Any], path: JsonPath) -> Iterator[tuple[JsonPath, Any]]:
    """Every field, those of nested configs before the configs themselves."""
    for key, value in node.items():
        if isinstance(value, dict) and len(path) < _NESTED:
            yield from _fields(value, (*path, key))
        if key not in _NEVER and not key.startswith("_"):
            yield (*path, key), value


def _is_named(item: tuple[JsonPath, Any], said: str) -> bool:
    """Whether the exception speaks of the field's name or of its value."""
    path, value = item
    words = [str(path[-1])]
    if isinstance(value, str) and value:
        words.append(value)
    elif isinstance(value, int | float) and not isinstance(value, bool) and abs(value) > 1:
        words.append(str(value))
    return any(re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.])", said) for word in words)


def _default(made: Expectation, path: JsonPath) -> Any:
    value: Any = made.config
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


DOCS = RuleDocs(
    finds=(
        "A config from which the class cannot be built and no other rule knows why. Each field is left out in turn: "
        "the one without which the class is built is the cause."
    ),
    why=(
        "The reader looks a value up or asserts something long before it opens a weight file; the exception is often "
        "bare and does not say which field it came from."
    ),
    errors=(
        "transformers: KeyError: 'sillu'",
        "transformers: AssertionError: Padding_idx must be within num_embeddings",
        "transformers: ValueError: hidden_size must be divisible by num_attention_heads",
    ),
    example='`"hidden_act": "sillu"`',
    fix="Set the field to what the model was made with; `loadproof diff` against the parent's config shows it.",
    harmless="Never with this release. A newer one may know the value.",
)
RULE = Rule("LP017", "config-refused", "The class cannot be built from this config", check, DOCS, last_resort=True)
