"""LP415 mlx-dialect: weights that mlx_lm has converted, in 16 or 32 bit."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE, Place
from loadproof.core.tensors import Shape
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.wording import plural, row_evidence
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    """Convolutions with their channels last; or none left of them in a file that says it is MLX's, of a hybrid model."""
    if any(family.template.endswith((".scales", ".biases")) for family in case.manifest.families):
        return  # quantized: LP413
    files = [file for file, metadata in case.manifest.metadata.items() if metadata.get("format") == "mlx"]
    rows = [
        row
        for row in of_kind(case.outcome.rows, "mismatched")
        if _is_convolution(row) and _is_channels_last(row.found, row.expected)
    ]
    if rows:
        yield _finding(files, rows)
    elif files and not of_kind(case.outcome.rows, "mismatched", "conversion"):
        yield from _moved_back(case, files)


def _is_convolution(row: Row) -> bool:
    """Stacked experts [E, O, I] have three dimensions as well; four and five are kernels of images and videos."""
    return "conv" in row.template or len(row.expected or ()) > 3


def _is_channels_last(found: Shape | None, expected: Shape | None) -> bool:
    """[O, ..., I] in place of [O, I, ...]: how MLX keeps the weights of convolutions."""
    if found is None or expected is None or not 3 <= len(expected) <= 5:
        return False
    return found != expected and found == (expected[0], *expected[2:], expected[1])


def _finding(files: list[str], rows: list[Row]) -> Found:
    number = sum(count(row.axes) for row in rows)
    verb = "keeps its" if number == 1 else "keep their"
    who = "these weights were converted by mlx_lm" if files else "these weights look as if mlx_lm had converted them"
    headline = f"{who}: {plural(number, 'convolution')} {verb} channels last"
    evidence = [Evidence(Place(file), "format = mlx") for file in files[:1]]
    notes = (
        Note(
            "note", "other values may have been changed as well: mlx_lm adds 1 to the norms of Qwen3-Next and Qwen3.5"
        ),
    )
    fix = Fix(_HOW, "manual")
    shown = (*evidence, *row_evidence(rows))
    return Found(
        severity="error",
        confidence="certain" if files else "likely",
        headline=headline,
        evidence=shown,
        rows=tuple(rows),
        fixes=(fix,),
        notes=notes,
    )


_HOW = (
    "load it with mlx-lm, or take the original; converting it back is numeric: move the channels of every convolution to "
    "dimension 1 and subtract 1 from the norms that mlx_lm has shifted"
)


def _moved_back(case: Case, files: list[str]) -> Iterable[Found]:
    """The header alone was edited: then the norms are still those of MLX."""
    reached = {found.target for found in case.outcome.assignments}
    linear = [e for e in case.expectation.families if e.template.endswith(".linear_attn.conv1d.weight")]
    hybrid = [e for e in linear if e.template in reached]
    if not hybrid:
        return
    headline = "these weights were converted by mlx_lm, and only the convolutions have the shape of the class"
    evidence = (Evidence(Place(files[0]), "format = mlx"), Evidence(NOWHERE, show(hybrid[0].template, hybrid[0].axes)))
    made = _finding(files, [])
    yield replace(made, severity="warning", confidence="likely", headline=headline, evidence=evidence)


RULE = Rule(
    code="LP415",
    slug="mlx-dialect",
    group="names",
    title="The weights were converted by mlx_lm",
    check=check,
)
