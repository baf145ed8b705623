"""LP301 layer-plan-mismatch: the config asks for another kind of layer than the file holds."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.severity import Confidence
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.feed_forward import NAMES, Flip, field_lines, flipped, known_fields
from loadproof.rules.evidence.layer_mismatch import describe, differing_layers, outcome_note, plan_findings
from loadproof.rules.evidence.plans import strips
from loadproof.rules.evidence.wording import layers_text
from loadproof.rules.rows import count_rows


def check(case: Case) -> Iterable[Found]:
    found = differing_layers(case)
    if found is not None and found[0].given:
        yield from plan_findings(case, found)
    flip = flipped(case)
    if flip is not None:
        yield _flip_finding(case, flip)


def _flip_finding(case: Case, flip: Flip) -> Found:
    """The finding for layers that are dense on one side and hold experts on the other."""
    held = sorted({NAMES[word] for layer in flip.layers if (word := flip.stored.words[layer])})
    made = sorted({NAMES[word] for layer in flip.layers if (word := flip.built.words[layer])})
    headline = (
        f"the config makes {layers_text(flip.layers)} {' and '.join(made)}, the checkpoint holds {' and '.join(held)}"
    )
    evidence = (*field_lines(case, flip.codec), *strips(flip.built, flip.stored))
    missing = count_rows(list(flip.rows), "missing")
    notes = (outcome_note(case, missing, flip.layers),) if missing and not case.outcome.raises else ()
    if flip.edits:
        fix = Fix(describe(flip.edits), "lossless", flip.edits)
    else:
        fix = Fix(
            f"set the field that chooses the layers with experts ({known_fields()}) to those of the weights", "manual"
        )
    confidence: Confidence = "certain" if flip.edits else "likely"
    return Found(
        severity="error",
        confidence=confidence,
        headline=headline,
        evidence=evidence,
        rows=flip.rows,
        fixes=(fix,),
        notes=notes,
    )


RULE = Rule(
    code="LP301",
    slug="layer-plan-mismatch",
    group="plan",
    title="The layer plan asks for layers that the file does not hold",
    check=check,
    absorbs=("LP306",),
)
