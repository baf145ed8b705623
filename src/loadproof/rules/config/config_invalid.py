"""LP013 config-invalid: config.json cannot be read."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import text_findings


def check(case: Case) -> Iterable[Found]:
    yield from text_findings(case, RULE.code)


DOCS = RuleDocs(
    finds=(
        "A config.json (or another JSON file of the checkpoint) that is not a single JSON object: text pasted "
        "behind it, comments, a Git LFS pointer, a directory."
    ),
    why=("The reader stops before it looks at any weight. loadproof can still judge the files, not the names."),
    errors=(
        "transformers: OSError: It looks like the config file at ... is not a valid JSON file.",
        "vLLM: the same OSError",
    ),
    example="A whole object, and two lines of another tool's settings behind it.",
    fix="Restore the file from the repository it came from.",
    harmless="Never for config.json; a broken companion file matters to the tool that reads it.",
)
RULE = Rule("LP013", "config-invalid", "config.json cannot be read", check, DOCS)
