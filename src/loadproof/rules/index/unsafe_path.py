"""LP110 unsafe-path: the index points outside the folder."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.findings import Finding
from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.evidence.faults import file_findings, text_findings, write_again


def check(case: Case) -> Iterable[Finding]:
    yield from file_findings(case, "LP110", "unsafe-path", "points to files outside the checkpoint folder", write_again)
    yield from text_findings(case, "LP110", "unsafe-path")


DOCS = RuleDocs(
    finds=("Values of the index that are absolute, climb with `..`, or are links that lead out of the folder."),
    why=(
        "transformers joins them to the folder and opens whatever comes out, without a check; a downloaded "
        "index can make it read any file. loadproof never follows them."
    ),
    errors=(
        "transformers: no error when the file exists",
        "vLLM: RuntimeError: Weight files referenced in index but missing",
        "SGLang: an existing file outside is skipped without a word",
    ),
    example='`"lm_head.weight": "../../other/model.safetensors"`',
    fix=(
        "Do not use the index before its origin is clear. Where the shards lie in the folder, write the index "
        "anew from their headers."
    ),
    harmless=("The links of the hub cache (`snapshots/... -> ../../blobs/...`) are in order and not reported."),
)
RULE = Rule("LP110", "unsafe-path", "The index points outside the folder", check, DOCS, absorbs=("LP102",))
