"""LP017 config-refused: the class cannot be built from this config, and which field it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from time import perf_counter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loadproof.config.lines import where
from loadproof.core.case import Case
from loadproof.core.config import JsonPath, dotted
from loadproof.core.edits import DeleteJson, Fix
from loadproof.core.expectation import Expectation
from loadproof.core.findings import Evidence
from loadproof.core.places import NOWHERE, Place, source_line
from loadproof.core.severity import Confidence
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.whatif_config import outcome_if
from loadproof.rules.evidence.wording import json_text
from loadproof.rules.rows import count_rows

_NEVER = frozenset(("architectures", "auto_map", "model_type", "transformers_version"))
_SECONDS = 3.0  # for all trials; one takes a tenth of a second
_ALIKE = 0.7
_LONGEST = 160  # characters of an exception's text in the headline; the outcome line has all of it
_NESTED = 2
_UNTOLD = 1 << 60  # rows where no outcome can be said
_LACKING = re.compile(r"[Mm]issing required keys[^{]*\{([^}]*)\}")


class Culprit(Struct, frozen=True):
    """A field without which the class builds, and what it then falls back to."""

    path: JsonPath
    value: Any
    default: Any
    is_named: bool  # the exception names the field or its value


def check(case: Case) -> Iterable[Found]:
    if case.expectation.raises is None or not case.config.raw:
        return
    whole = " ".join(case.expectation.raises.split())
    said = whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 1]}…"
    used = case.expectation.class_name or case.expectation.model_type
    if (absent := _without_package(case, said)) is not None:
        yield absent
        return
    place = (
        (Evidence(source_line(case.expectation.raises_at), "raised here", "source"),)
        if case.expectation.raises_at
        else ()
    )
    culprits = _likeliest(case, whole)
    if culprits:
        yield _told(case, culprits, said, used, place)
        return
    named = _quoted(case, whole)
    if named is not None:
        path, value = named
        headline = f"{dotted(path)} = {json_text(value)} is refused: {said}"
        evidence = (Evidence(where(case.config, path), f"{dotted(path)} = {json_text(value)}"), *place)
        fix = Fix(f"set {dotted(path)} to what the model was made with", "manual")
        yield _made("likely", headline, evidence, fix)
        return
    headline = f"{used} cannot be built from this config: {said}"
    evidence = (Evidence(Place(case.config.path or "config.json"), "no single field explains it"), *place)
    fix = Fix("compare config.json with the one of the model this was made from: loadproof diff", "manual")
    yield _made("possible", headline, evidence, fix)


def _without_package(case: Case, said: str) -> Found | None:
    """The declared quantization method needs a package that is not installed: no field of the config is wrong."""
    quantizer = case.expectation.quantizer
    if quantizer is None or not said.startswith("ImportError"):
        return None
    absent = [name for name, version in quantizer.packages if not version]
    fix = Fix(f"pip install {' '.join(absent)}" if absent else "install what the text names", "manual")
    found = _made("certain", f"the declared quantization needs what is not installed: {said}", (), fix)
    return replace(found, severity="warning")  # the reader raises, and nothing is wrong with the checkpoint


def _told(case: Case, culprits: list[Culprit], said: str, used: str, place: tuple[Evidence, ...]) -> Found:
    stated = [f"{dotted(culprit.path)} = {json_text(culprit.value)}" for culprit in culprits]
    lines = [Evidence(where(case.config, culprit.path), text) for culprit, text in zip(culprits, stated, strict=True)]
    built = [
        Evidence(
            NOWHERE,
            f"without {'it' if len(culprits) == 1 else dotted(one.path)} {used} is built{_falling_back(one.default)}",
            "note",
        )
        for one in culprits
    ]
    only = culprits[0] if len(culprits) == 1 else None
    confidence: Confidence = "possible" if only is None else "certain" if only.is_named else "likely"
    advice = (
        _advice(dotted(only.path), only, case.expectation.raises or "")
        if only is not None
        else f"set {' or '.join(dotted(culprit.path) for culprit in culprits)} to what the model was made with"
    )
    return _made(
        confidence, f"{' or '.join(stated)} is refused: {said}", (*lines, *built, *place), Fix(advice, "manual")
    )


def _made(confidence: Confidence, headline: str, evidence: tuple[Evidence, ...], fix: Fix) -> Found:
    return Found(severity="error", confidence=confidence, headline=headline, evidence=evidence, fixes=(fix,))


def _falling_back(default: Any) -> str:
    return "" if default is None else f", with {json_text(default)}"


def _advice(name: str, culprit: Culprit, said: str) -> str:
    value, default = culprit.value, culprit.default
    told = f"set {name} to what the model was made with"
    lacking = sorted(re.findall(r"'(\w+)'", match.group(1))) if (match := _LACKING.search(said)) else []
    if lacking:
        return f"add {', '.join(lacking)} beside {name}, as the model was made with"
    if not isinstance(value, str) or not isinstance(default, str):
        return told
    is_alike = SequenceMatcher(None, value.lower(), default.lower()).ratio() > _ALIKE
    return f'did you mean "{default}"? {told}' if is_alike else told


def _likeliest(case: Case, said: str) -> list[Culprit]:
    """The fields without which the class builds and the fewest parameters are wrong; those named in the exception first.

    Where the exception names some of them, the others are not looked at.
    """
    started = perf_counter()
    fields = sorted(_fields(case.config.raw, ()), key=lambda item: not _is_named(item, said))
    found: list[tuple[int, Culprit]] = []
    for path, value in fields:
        is_named = _is_named((path, value), said)
        if perf_counter() - started > _SECONDS or (found and found[0][1].is_named and not is_named):
            break
        edits = (DeleteJson(case.config.path or "config.json", path),)
        made = case.build_if(edits)
        if made is not None:
            outcome = outcome_if(case, edits)
            wrong = _UNTOLD if outcome is None else count_rows(outcome.rows)
            found.append((wrong, Culprit(path, value, _default(made, path), is_named)))
    fewest = min((wrong for wrong, _ in found), default=0)
    return _innermost([culprit for wrong, culprit in found if wrong == fewest])


def _innermost(culprits: list[Culprit]) -> list[Culprit]:
    """A config that is left out with its field inside is no cause of its own."""
    paths = [culprit.path for culprit in culprits]
    return [one for one in culprits if not any(path[: len(one.path)] == one.path != path for path in paths)]


def _quoted(case: Case, said: str) -> tuple[JsonPath, Any] | None:
    """The one field whose name the exception quotes."""
    found = [
        item for item in _fields(case.config.raw, ()) if re.search(rf"['\"`]{re.escape(str(item[0][-1]))}['\"`]", said)
    ]
    return found[0] if len(found) == 1 else None


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


RULE = Rule(
    code="LP017",
    slug="config-refused",
    group="config",
    title="The class cannot be built from this config",
    check=check,
    last_resort=True,
)
