"""Rows become causes with nothing left over: every reported row belongs to one finding or is listed as unexplained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.findings import Finding, Note
from loadproof.core.outcome import Row
from loadproof.core.severity import SEVERITIES
from loadproof.rules.base import Found, Rule
from loadproof.rules.catalogue import slug_of
from loadproof.rules.rows import meet, subtract
from loadproof.rules.unreported import unreported_problems

Asker = Callable[[Rule, Case], Iterable[Found]]
Diagnosis = tuple[tuple[Finding, ...], tuple[Row, ...]]


def run_rules(
    case: Case, rules: Sequence[Rule], ask: Asker | None = None
) -> tuple[tuple[Finding, ...], tuple[Row, ...]]:
    """Findings with the cause first, and the rows that no rule explains.

    Rules run in rank order. Each sees only the rows that are still unexplained, so a consequence of an earlier cause is
    no longer there to be reported; a finding whose rows are all taken is dropped. Together the rows of the findings and
    the unexplained ones are exactly the rows of ``case.outcome``, each name once. What was recorded while reading and no
    rule reports comes last. `ask` calls a rule (`guarded` keeps the report alive when a rule fails).
    """
    ask = ask or plain
    left: list[Row] = list(case.outcome.rows)
    taken: list[Row] = []
    findings: list[Finding] = []
    absorbed: set[str] = set()
    for rule in rules:
        if rule.last_resort and any(finding.severity == "error" for finding in findings):
            continue
        view = replace(case, outcome=replace(case.outcome, rows=tuple(left)), explained=tuple(taken))
        for found in ask(rule, view):
            claimed = meet(left, found.rows)
            restates = not claimed and (bool(found.rows) or rule.code in absorbed)
            if restates:
                continue
            left = subtract(left, claimed)
            taken += claimed
            findings.append(found.stamped(rule.code, rule.slug, claimed))
            absorbed.update(rule.absorbs)
    reported = absorbed.union(finding.code for finding in findings)
    findings += (found.stamped(code, slug_of(code)) for code, found in unreported_problems(case, reported))
    return tuple(cause_first(findings)), tuple(left)


def guarded(rule: Rule, case: Case) -> list[Found]:
    """What the rule finds; a fault of the rule itself is a warning instead of ending the report."""
    try:
        return list(rule.check(case))
    except Exception as error:
        text = f"the rule itself failed ({type(error).__name__}: {error}); what it would have found is not known"
        note = Note("note", "please report this")
        return [Found(severity="warning", confidence="possible", headline=text, notes=(note,))]


def plain(rule: Rule, case: Case) -> Iterable[Found]:
    return rule.check(case)


def cause_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors before warnings before infos; within these the order of rank stays."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
