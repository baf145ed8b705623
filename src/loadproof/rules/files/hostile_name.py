"""LP011 hostile-name: a tensor name is made to deceive."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.faults import file_findings, text_findings, write_again


def check(case: Case) -> Iterable[Found]:
    yield from file_findings(case, RULE.code, "has tensor names made to deceive", write_again)
    yield from text_findings(case, RULE.code)


DOCS = RuleDocs(
    finds="Names with control characters, terminal escapes, path parts, or letters that no model uses.",
    why=(
        "Such names can rewrite a terminal, break logs or CI annotations, or escape a folder when a tool writes "
        "one file per tensor. loadproof prints them escaped."
    ),
    errors=("all engines: KeyError or UNEXPECTED with a garbled name",),
    example="A name holds the escape sequence that clears the screen.",
    fix=("Do not use the file before its origin is clear; rename the tensors with the tool that wrote it."),
    harmless="A name in another script is a warning: no architecture has one, so it is no parameter of any.",
)
RULE = Rule("LP011", "hostile-name", "A tensor name is made to deceive", check, DOCS)
