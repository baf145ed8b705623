"""LP107 duplicate-tensor: two files hold a tensor of the same name."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.families import split_name
from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.faults import SHOWN
from loadproof.rules.shards import deciding_index
from loadproof.types import Case, DropTensors, Duplicate, Evidence, Finding, Fix, Severity


def check(case: Case) -> Iterable[Finding]:
    """An error when the copy that is used is not the one the index names; a warning otherwise."""
    duplicates = case.manifest.duplicates
    if not duplicates:
        return
    index = deciding_index(case)
    named = index.weight_map if index is not None else {}
    wrong = [twice for twice in duplicates if named.get(twice.name, twice.files[-1]) != twice.files[-1]]
    shown = wrong or list(duplicates)
    what = f"{shown[0].name} is" if len(shown) == 1 else f"{len(shown):,} tensors are"
    if wrong:
        headline = f"{what} stored twice, and the copy that loads is not the one the index names"
    else:
        headline = f"{what} stored in two files; the later file name wins without a word"
    evidence = [Evidence(", ".join(twice.files), f"{twice.name}: {twice.files[-1]} wins") for twice in shown[:SHOWN]]
    if index is not None:
        evidence.append(Evidence(index.path, f"{shown[0].name} -> {named.get(shown[0].name, 'not named')}"))
    severity: Severity = "error" if wrong else "warning"
    yield Finding(
        "LP107", "duplicate-tensor", severity, "certain", headline, tuple(evidence), (), 0, _fixes(shown, named)
    )


def _fixes(duplicates: list[Duplicate], named: dict[str, str]) -> tuple[Fix, ...]:
    """Leave out the copies that the index does not name; without an index nobody can say which is right."""
    edits = []
    for twice in duplicates:
        keep = named.get(twice.name)
        template, indices = split_name(twice.name)
        axes = tuple((index,) for index in indices)
        edits += [DropTensors(template, axes, file) for file in twice.files if keep in twice.files and file != keep]
    if not edits:
        return (Fix("keep the copy you trust and remove the other file", "manual"),)
    return (Fix("leave out the copies that the index does not name", "lossless", tuple(edits)),)


DOCS = RuleDocs(
    finds="One tensor name in two of the files that are read.",
    why=(
        "A leftover of an earlier save, or a shard written twice. transformers keeps the copy of the file whose "
        "name sorts last, whatever the index says; vLLM writes the last in natural order; nobody tells."
    ),
    errors=(
        "transformers, vLLM, mlx-lm: no error, possibly the wrong weights",
        "llama.cpp convert: ValueError: Duplicate tensor name",
    ),
    example="`lm_head.weight` lies in shard 1, which the index names, and in shard 2, which wins.",
    fix=("`loadproof fix` leaves out the copy that the index does not name. Without an index the choice is yours."),
    harmless="When both copies are equal byte for byte.",
)
RULE = Rule("LP107", "duplicate-tensor", "Two files hold a tensor of the same name", check, DOCS, absorbs=("LP106",))
