"""LP810 adapter-release: another release of PEFT wrote the tensors of fused experts, with their sides exchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import in_files
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.wording import plural, row_evidence
from loadproof.rules.rows import count_rows, of_kind


def check(case: Case) -> Iterable[Found]:
    """`target_parameters`: up to 0.18 `lora_A` meets the rows of the parameter, from 0.19 on its columns."""
    rows = (
        list(_exchanged(of_kind(case.outcome.rows, "mismatched"))) if case.config.raw.get("target_parameters") else []
    )
    if not rows:
        return
    stated = case.config.raw.get("peft_version")
    by = f" by peft {stated}" if isinstance(stated, str) else ""
    yield Found(
        severity="error",
        confidence="likely",
        headline=f"{plural(count_rows(rows), 'tensor')} of fused experts were saved{by} with in and out exchanged",
        evidence=(
            *row_evidence(rows),
            Evidence(in_files(case.selection.files), "lora_A and lora_B have changed sides"),
        ),
        rows=case.outcome.rows,
        fixes=(Fix("load it with the release of peft that saved it, merge there and save the model", "manual"),),
        notes=(Note("note", "where both sizes are equal the exchange raises nothing and the result is wrong"),),
    )


def _exchanged(rows: list[Row]) -> Iterator[Row]:
    """Rows of a pair whose sizes are those of each other."""
    others = {(row.template, row.axes): row for row in rows}
    for row in rows:
        for one, other in (("lora_A", "lora_B"), ("lora_B", "lora_A")):
            twin = others.get((row.template.replace(one, other), row.axes)) if one in row.template else None
            if twin is not None and _crossed(row, twin):
                yield row


def _crossed(row: Row, twin: Row) -> bool:
    if row.expected is None or row.found is None or twin.expected is None or twin.found is None:
        return False
    return row.found == twin.expected[::-1] and twin.found == row.expected[::-1]


RULE = Rule(
    code="LP810",
    slug="adapter-release",
    group="adapters",
    title="Another release of PEFT saved these expert tensors",
    check=check,
    absorbs=("LP803", "LP811"),
)
