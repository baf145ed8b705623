"""LP014 config-value: a config value that no model can be built from."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import text_findings


def check(case: Case) -> Iterable[Found]:
    yield from text_findings(case, RULE.code)


DOCS = RuleDocs(
    finds=(
        "A size that is a string, negative, not finite or beyond every bound; a dtype that does not exist; a "
        "model_type that is no name."
    ),
    why="The reader stops while it builds the model, or tries to build something enormous.",
    errors=(
        "transformers: StrictDataclassFieldValidationError: Validation error for field ...",
        "transformers: AttributeError: module 'torch' has no attribute ...",
    ),
    example='`"num_hidden_layers": "32"`',
    fix="Write the value the model was made with.",
    harmless="Never.",
)
RULE = Rule("LP014", "config-value", "A config value that no model can be built from", check, DOCS)
