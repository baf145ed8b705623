"""LP403 repeated-prefix: a part of the names is repeated."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.prefixes import healed_finding, prefix_findings


def check(case: Case) -> Iterable[Found]:
    yield from prefix_findings(case, RULE.slug)
    yield from healed_finding(case, RULE.slug)


DOCS = RuleDocs(
    finds="The same level twice or more in a row: `model.language_model.language_model.layers...`.",
    why="An exporter applied its renaming again at every save. No reader strips the copies.",
    errors=(
        "transformers: MISSING and UNEXPECTED rows, no exception",
        "vLLM: ValueError: There is no module or parameter named ...",
        "llama.cpp convert: harmless, it strips `language_model.` wherever it stands",
    ),
    example="`model.language_model.language_model.language_model.layers.0...`",
    fix="`loadproof fix` renames the tensors in the headers.",
    harmless="One extra base prefix (`model.model.`) under a class with a head: transformers strips it.",
)
RULE = Rule("LP403", "repeated-prefix", "A part of the names is repeated", check, DOCS)
