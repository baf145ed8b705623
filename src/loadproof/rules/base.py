"""What a rule is. One file per rule; `loadproof.rules.RULES` is the explicit registry, in order of rank."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from loadproof.types import Case, Finding


class RuleDocs(Struct, frozen=True):
    """The page of a rule, plain Markdown. Rendered by `loadproof explain LP301` and into docs/rules/."""

    finds: str  # what it finds
    why: str  # why loading breaks or goes wrong
    errors: tuple[str, ...]  # the errors seen, one per engine: "vLLM: KeyError: ..."
    example: str  # a short excerpt
    fix: str
    harmless: str  # when it is harmless


class Rule(Struct, frozen=True):
    """`check` is a pure function of the case. It may yield any number of findings, usually none."""

    code: str
    slug: str
    title: str
    check: Callable[[Case], Iterable[Finding]]
    docs: RuleDocs
