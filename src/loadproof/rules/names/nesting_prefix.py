"""LP402 nesting-prefix: the names are nested for another class or release."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.prefixes import healed_finding, prefix_findings


def check(case: Case) -> Iterable[Found]:
    yield from prefix_findings(case, RULE.slug)
    yield from healed_finding(case, RULE.slug)


DOCS = RuleDocs(
    finds=(
        "Stored names that fit after a level of nesting is added, taken out or exchanged: `language_model.` on "
        "a text class, `language_model.model.` for `model.language_model.`, `visual.` for `model.visual.`."
    ),
    why=(
        "Releases and classes nest the same weights differently (transformers moved the parts of "
        "vision-language models in 4.52), and not every old spelling is renamed on load. What does not match "
        "stays random."
    ),
    errors=(
        "transformers: a LOAD REPORT of MISSING and UNEXPECTED rows, no exception",
        "vLLM: ValueError: There is no module or parameter named 'language_model' in ...",
        "SGLang: KeyError, or nothing at all, by class",
    ),
    example="`language_model.model.layers.0...` under LlamaForCausalLM, which has `model.layers.0...`.",
    fix=(
        "`loadproof fix` renames the tensors in the headers. Where the config rather than the file is wrong, "
        "name the class that fits (see LP406)."
    ),
    harmless="Where the reader renames the old spelling by itself, nothing is reported.",
)
RULE = Rule("LP402", "nesting-prefix", "The names are nested for another class or release", check, DOCS)
