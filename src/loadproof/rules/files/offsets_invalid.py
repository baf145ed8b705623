"""LP008 offsets-invalid: tensors overlap, leave holes, or point outside the file."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import file_findings, write_again


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(
        case, RULE.code, "has tensors that overlap, leave holes or lie outside the file", write_again
    )


DOCS = RuleDocs(
    finds=("Spans that overlap, a gap between two tensors, a span that runs backwards or past the end of the file."),
    why=(
        "Overlapping tensors would share bytes, holes may hide data; the official reader refuses both. For the "
        "same reason two tied names cannot share one span: a tie is stored by leaving one name out."
    ),
    errors=(
        "transformers: SafetensorError: Error while deserializing header: InvalidOffset",
        (
            "transformers: SafetensorError: Error while deserializing header: incomplete metadata, file not fully "
            "covered"
        ),
    ),
    example="`lm_head.weight` and `model.embed_tokens.weight` both claim bytes 0 to 2,048.",
    fix=(
        "Write the file again with the official writer; drop one of two tied names instead of pointing both to "
        "one span."
    ),
    harmless="Never for a file that is read.",
)
RULE = Rule("LP008", "offsets-invalid", "Tensors overlap, leave holes, or point outside the file", check, DOCS)
