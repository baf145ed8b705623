"""LP407 task-head-missing: the head of the task was not saved."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import about, in_files
from loadproof.rules.base import Found, Rule
from loadproof.rules.rows import of_kind

_TASK = re.compile(
    r"For(SequenceClassification|TokenClassification|QuestionAnswering|MultipleChoice|.*Reward.*|.*Value.*)"
)


def check(case: Case) -> Iterable[Found]:
    """A class for a task whose own head (score, classifier, qa_outputs) is missing while the backbone is there."""
    if not _TASK.search(case.expectation.class_name):
        return
    prefix = case.expectation.base_model_prefix + "."
    heads = [
        row for row in of_kind(case.outcome.rows, "missing") if not row.template.startswith(prefix) and not row.axes
    ]
    if not heads or not case.outcome.assignments:
        return
    stray = [
        row for row in of_kind(case.outcome.rows, "unexpected") if not row.axes and not row.template.startswith(prefix)
    ]
    head = heads[0].template
    headline = f"{head} of {case.expectation.class_name} is not stored; the backbone is"
    evidence = [
        Evidence(about(case.expectation.class_name), f"expects {row.template} {list(row.expected or ())}")
        for row in heads
    ]
    evidence += [Evidence(in_files(row.files[:1], 1), f"holds {row.stored} instead") for row in stray[:2]]
    notes = (Note("origin", "trained with the head outside modules_to_save, or merged through the CausalLM class"),)
    fix = Fix("save again with the head (modules_to_save), or set architectures to the class that was saved", "manual")
    rows = (*heads, *stray)
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=rows,
        fixes=(fix,),
        notes=notes,
    )


RULE = Rule(
    code="LP407",
    slug="task-head-missing",
    group="names",
    title="The head of the task was not saved",
    check=check,
)
