"""What a rule is. One file per rule, named after its slug, in the folder of its group; `RANK` is the explicit registry.

How a rule is written:

* the file ``rules/index/shard_missing.py`` holds ``check``, the docs and ``RULE = Rule("LP102", "shard-missing", ...)``;
* ``check(case)`` sees in ``case.outcome.rows`` only the rows that no rule of higher rank has explained yet, and claims
  rows (whole families, or a part of one by smaller axes) through ``Finding.rows``;
* a finding without rows stands on its own (a fault of a file, a fact that no reader reports);
* `diagnose` counts ``explains`` itself, so a rule leaves it at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from loadproof.core.case import Case
from loadproof.core.findings import Finding


class RuleDocs(Struct, frozen=True):
    """The page of a rule, plain Markdown. Rendered by `loadproof explain LP301` and into docs/rules/."""

    finds: str  # what it finds
    why: str  # why loading breaks or goes wrong
    errors: tuple[str, ...]  # the errors seen, one per engine: "vLLM: KeyError: ..."
    example: str  # a short excerpt
    fix: str
    harmless: str  # when it is harmless


class Rule(Struct, frozen=True):
    """`check` is a pure function of the case. It may yield any number of findings, usually none.

    `absorbs` names rules whose row-less findings only restate this one; they are dropped where this rule fired. A rule of
    `last_resort` is asked only where no rule before it found an error.
    """

    code: str
    slug: str
    title: str
    check: Callable[[Case], Iterable[Finding]]
    docs: RuleDocs
    absorbs: tuple[str, ...] = ()
    last_resort: bool = False
