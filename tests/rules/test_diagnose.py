from __future__ import annotations

from collections.abc import Callable, Iterable

from loadproof.core.case import Case
from loadproof.core.outcome import Row
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule
from loadproof.rules.diagnose import guarded, run_rules
from loadproof.rules.rows import count_rows
from tests.rules.build import case, row

ROWS = (row("missing", "model.layers.{}.w", (0, 1, 2)), row("unexpected", "layers.{}.w", (0, 1, 2)))


def rule(code: str, claim: Callable[[Case], Iterable[Row]], severity: Severity = "error", *absorbs: str) -> Rule:
    def check(seen: Case) -> Iterable[Found]:
        yield Found(severity=severity, confidence="certain", headline="found", rows=tuple(claim(seen)))

    return Rule(code=code, slug=code.lower(), group="names", title="a rule", check=check, absorbs=absorbs)


def test_every_row_belongs_to_one_finding_or_is_left_unexplained() -> None:
    first = rule("A", lambda seen: [row("missing", "model.layers.{}.w", (0, 1))])
    greedy = rule("B", lambda seen: ROWS[:1])
    findings, left = run_rules(case(ROWS), [first, greedy])
    assert [(f.code, f.explains) for f in findings] == [("A", 2), ("B", 1)]
    assert left == ROWS[1:]
    assert sum(f.explains for f in findings) + count_rows(left) == count_rows(ROWS)


def test_a_finding_that_only_restates_rows_of_another_is_dropped() -> None:
    findings, _ = run_rules(case(ROWS), [rule("A", lambda seen: ROWS), rule("B", lambda seen: ROWS[:1])])
    assert [f.code for f in findings] == ["A"]


def test_a_later_rule_sees_only_what_is_left() -> None:
    seen_rows: list[Row] = []

    def watch(seen: Case) -> Iterable[Row]:
        seen_rows.extend(seen.outcome.rows)
        return ()

    run_rules(case(ROWS), [rule("A", lambda seen: ROWS[:1]), rule("B", watch)])
    assert tuple(seen_rows) == ROWS[1:]


def test_a_rowless_restatement_is_absorbed_only_where_the_cause_was_found() -> None:
    cause, echo = rule("A", lambda seen: ROWS, "error", "B"), rule("B", lambda seen: ())
    assert [f.code for f in run_rules(case(ROWS), [cause, echo])[0]] == ["A"]
    assert [f.code for f in run_rules(case(()), [cause, echo])[0]] == ["B"]


def test_errors_stand_before_infos_of_higher_rank() -> None:
    info, error = rule("A", lambda seen: (), "info"), rule("B", lambda seen: ROWS)
    assert [f.code for f in run_rules(case(ROWS), [info, error])[0]] == ["B", "A"]


def test_rows_the_reader_never_reported_cannot_be_claimed() -> None:
    findings, left = run_rules(case(ROWS), [rule("A", lambda seen: [row("missing", "foreign")])])
    assert findings == ()
    assert left == ROWS


def test_a_failing_rule_is_told_and_does_not_end_the_report() -> None:
    def fails(seen: Case) -> Iterable[Row]:
        raise ValueError("boom")

    findings, left = run_rules(case(ROWS), [rule("A", fails), rule("B", lambda seen: ROWS[:1])], guarded)
    assert [(f.code, f.severity) for f in findings] == [("B", "error"), ("A", "warning")]
    assert "ValueError: boom" in findings[1].headline
    assert left == ROWS[1:]
