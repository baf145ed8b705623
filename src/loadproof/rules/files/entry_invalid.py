"""LP007 entry-invalid: an entry of the header contradicts itself."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import file_findings, write_again


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "has entries that contradict themselves", write_again)


DOCS = RuleDocs(
    finds=(
        "A tensor whose dtype and shape do not give the number of bytes it claims, an unknown dtype, a size "
        "that overflows."
    ),
    why="The bytes cannot be read as the header says. Most readers refuse the whole file.",
    errors=(
        (
            "transformers: SafetensorError: Error while deserializing header: invalid shape, data type, or offset "
            "for tensor"
        ),
    ),
    example="`model.norm.weight`: BF16 [64] needs 128 bytes, the entry spans 64.",
    fix="Write the file again from its source; the right shape cannot be known from the file.",
    harmless="Never for a file that is read.",
)
RULE = Rule("LP007", "entry-invalid", "An entry of the header contradicts itself", check, DOCS)
