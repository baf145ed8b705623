"""Nothing found while reading is lost: a fault that no rule took up becomes a finding of its own."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.findings import Evidence, Finding, Note
from loadproof.core.places import NOWHERE, Place
from loadproof.core.severity import Severity

_SLUGS = {
    "LP001": "lfs-pointer",
    "LP002": "not-weights",
    "LP003": "truncated",
    "LP004": "trailing-bytes",
    "LP005": "zero-filled",
    "LP006": "header-invalid",
    "LP007": "entry-invalid",
    "LP008": "offsets-invalid",
    "LP009": "duplicate-header-key",
    "LP010": "no-format-metadata",
    "LP011": "hostile-name",
    "LP012": "executable-payload",
    "LP013": "config-invalid",
    "LP014": "config-value",
    "LP015": "unsafe-pattern",
    "LP018": "foreign-record",
    "LP101": "index-invalid",
    "LP102": "shard-missing",
    "LP103": "shard-unindexed",
    "LP104": "index-ghost-key",
    "LP105": "index-missing-key",
    "LP106": "index-wrong-shard",
    "LP107": "duplicate-tensor",
    "LP108": "shadowed-save",
    "LP109": "total-size-wrong",
    "LP110": "unsafe-path",
    "LP111": "rival-formats",
    "LP114": "dangling-link",
}
SHOWN = 4
_RANK: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}


def untold(case: Case, findings: Iterable[Finding]) -> list[Finding]:
    """Findings for problems whose code none of `findings` carries or absorbs: one for each code, severity and file."""
    from loadproof.rules import absorbed_by

    findings = tuple(findings)
    told = {finding.code for finding in findings} | absorbed_by({finding.slug for finding in findings})
    groups: dict[tuple[str, Severity, str], list[Problem]] = {}
    for problem in (*case.config.problems, *case.inventory.problems, *case.manifest.problems):
        if problem.code not in told:
            group = groups.setdefault((problem.code, problem.severity, problem.file), [])
            if problem not in group:
                group.append(problem)
    return [_finding(case, key[0], group) for key, group in sorted(groups.items(), key=_order)]


def _order(item: tuple[tuple[str, Severity, str], list[Problem]]) -> tuple[int, str]:
    (code, severity, _), _ = item
    return _RANK[severity], code


def _finding(case: Case, code: str, problems: list[Problem]) -> Finding:
    evidence = [Evidence(place(problem), _shown(problem)) for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        evidence.append(Evidence(NOWHERE, f"{len(problems) - SHOWN:,} more in {problems[0].file}", "note"))
    said = next(filter(None, map(case.reaction, problems)), None)
    notes = (Note("reader", said),) if said else ()
    first = problems[0]
    return Finding(
        code, _SLUGS.get(code, "file-fault"), first.severity, "certain", first.text, tuple(evidence), notes=notes
    )


def place(problem: Problem) -> Place:
    """The line where it is known, else the file."""
    return Place(problem.file, problem.line, problem.tensor or "")


def _shown(problem: Problem) -> str:
    if problem.found is None:
        return problem.tensor or problem.text
    return f"{problem.expected} = {problem.found}" if problem.expected else f"found {problem.found}"


__all__ = ["place", "untold"]
