"""LP803 adapter-base-mismatch: the adapter belongs to another base."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.adapter import OtherClass
from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.known_names import ADAPTER_CONFIG
from loadproof.core.outcome import Row
from loadproof.core.places import Place
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.adapters import effect, expected_sizes, layers_of, load_of, stored_sizes
from loadproof.rules.evidence.wording import plural, row_evidence
from loadproof.rules.rows import of_kind

_NO_TARGET = re.compile(r"not found in the base model|No modules were targeted")


def check(case: Case) -> Iterable[Found]:
    """Other widths, another number of layers, no such modules, or names that another class of the base has."""
    headline, evidence = _why(case)
    if not headline:
        return
    yield Found(
        severity="error",
        confidence="likely",
        headline=headline,
        evidence=(*evidence, *_named(case)),
        rows=case.outcome.rows,
        fixes=(Fix("give the base that it was trained on (--base), or train it for this one", "manual"),),
        notes=effect(case),
    )


def _why(case: Case) -> tuple[str, tuple[Evidence, ...]]:
    other = next((one for one in load_of(case).others if one.is_whole), None)
    if other is not None:
        return _other_class(case, other), ()
    if widths := _widths(of_kind(case.outcome.rows, "mismatched")):
        return widths[0], row_evidence(widths[1])
    if case.outcome.raises:
        raised = _NO_TARGET.search(case.outcome.error or "") is not None
        return ("the base has none of the modules that the adapter targets", ()) if raised else ("", ())
    by_layers = _by_layers(case)
    return by_layers if by_layers[0] else _by_names(case)


def _other_class(case: Case, other: OtherClass) -> str:
    return f"the adapter belongs to {other.class_name}, not to {load_of(case).model_class}: there it loads whole"


def _widths(rows: list[Row]) -> tuple[str, list[Row]] | None:
    """`lora_A` ends in the width of what comes in: another one is another base."""
    found = [
        r for r in rows if "lora_A" in r.template and r.found and r.expected and len(r.found) == len(r.expected) == 2
    ]
    differ = [row for row in found if row.found[1] != row.expected[1]]  # type: ignore[index]
    if not differ or len(differ) < len(found):
        return None
    stored, base = differ[0].found[1], differ[0].expected[1]  # type: ignore[index]
    return f"the adapter was made for a width of {stored:,}, the base has {base:,}", differ


def _by_layers(case: Case) -> tuple[str, tuple[Evidence, ...]]:
    """Whole layers at the end are stored for nothing, or stay as made."""
    ours, theirs = set(layers_of(stored_sizes(case))), set(layers_of(expected_sizes(load_of(case))))
    if not ours or not theirs or max(ours) == max(theirs) or not load_of(case).filled:
        return "", ()
    number, depth = max(ours) + 1, max(theirs) + 1
    is_the_rest = ours ^ theirs == set(range(min(number, depth), max(number, depth)))
    text = f"the adapter was made for {plural(number, 'layer')}, the base has {depth:,}"
    return (text, row_evidence(case.outcome.rows)) if is_the_rest else ("", ())


def _by_names(case: Case) -> tuple[str, tuple[Evidence, ...]]:
    """Nothing that is stored reaches anything."""
    load, unused = load_of(case), of_kind(case.outcome.rows, "unexpected")
    if load.filled or not load.made or not unused or any("lora_" not in row.template for row in unused):
        return "", ()
    if any(re.search(r"lora_(?:unet|te|down|up)|\.lora_[ab]\Z|\.alpha\Z|\.lora\.", row.template) for row in unused):
        return "", ()  # another tool's names: see adapter-foreign-parts
    return f"none of the {len(stored_sizes(case)):,} stored names is one of {load.model_class}", row_evidence(unused)


def _named(case: Case) -> tuple[Evidence, ...]:
    base = case.expectation.base
    if base is None:
        return ()
    used = f", judged on {base.path} ({base.how})" if base.path else ""
    text = f"trained on {base.named or 'a base that is not named'}{used}"
    return (Evidence(Place(ADAPTER_CONFIG), text),)


RULE = Rule(
    code="LP803",
    slug="adapter-base-mismatch",
    group="adapters",
    title="The adapter belongs to another base",
    check=check,
    absorbs=("LP805", "LP811"),
)
