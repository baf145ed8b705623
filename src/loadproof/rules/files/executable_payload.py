"""LP012 executable-payload: a file carries code."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import file_findings, text_findings, write_again
from loadproof.rules.reader.reader_too_old import needs_code


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "carries code", write_again)
    for finding in text_findings(case, RULE.code):
        if not (needs_code(case) and "auto_map" in finding.headline):  # LP705 says it
            yield finding


DOCS = RuleDocs(
    finds=(
        "A pickle that names functions beyond the few that rebuild tensors, or a weight file with an archive appended."
    ),
    why=("Loading such a file with plain unpickling runs the code. loadproof reads the opcodes and runs nothing."),
    errors=("torch: UnpicklingError: Weights only load failed ... Unsupported global",),
    example="data.pkl calls `posix.system`.",
    fix="Do not load it. Get the weights as safetensors from a source you trust.",
    harmless="Never; some training states hold harmless extra classes, but then they are no weight files.",
)
RULE = Rule("LP012", "executable-payload", "A file carries code", check, DOCS)
