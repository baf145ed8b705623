"""Nothing found while reading is lost: what no rule took up becomes a finding under the code that it was recorded with.

This is the last of the rules. It has no code of its own, so it yields each cause together with the code it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import NOWHERE, Place
from loadproof.core.severity import SEVERITIES, Severity
from loadproof.rules.base import Found

SHOWN = 4
_Group = tuple[str, Severity, str]  # code, severity, file


def unreported_problems(case: Case, reported: Set[str]) -> Iterator[tuple[str, Found]]:
    """One cause for each code, severity and file among the problems whose code is not `reported`; the worst first."""
    groups: dict[_Group, list[Problem]] = {}
    for problem in (*case.config.problems, *case.inventory.problems, *case.manifest.problems):
        if problem.code not in reported:
            group = groups.setdefault((problem.code, problem.severity, problem.file), [])
            if problem not in group:
                group.append(problem)
    for (code, _, _), problems in sorted(groups.items(), key=lambda item: _order(item[0])):
        yield code, _found(case, problems)


def _order(group: _Group) -> tuple[int, str]:
    code, severity, _ = group
    return SEVERITIES.index(severity), code


def _found(case: Case, problems: list[Problem]) -> Found:
    evidence = [Evidence(_place(problem), _shown(problem)) for problem in problems[:SHOWN]]
    if len(problems) > SHOWN:
        evidence.append(Evidence(NOWHERE, f"{len(problems) - SHOWN:,} more in {problems[0].file}", "note"))
    said = next(filter(None, map(case.reaction, problems)), None)
    return Found(
        severity=problems[0].severity,
        confidence="certain",
        headline=problems[0].text,
        evidence=tuple(evidence),
        notes=(Note("reader", said),) if said else (),
    )


def _place(problem: Problem) -> Place:
    """The line where it is known, else the file."""
    return Place(problem.file, problem.line, problem.tensor or "")


def _shown(problem: Problem) -> str:
    if problem.found is None:
        return problem.tensor or problem.text
    return f"{problem.expected} = {problem.found}" if problem.expected else f"found {problem.found}"
