"""What was recorded while reading comes out, whether a rule takes it up or not."""

from __future__ import annotations

from collections.abc import Iterable

import loadproof.readers  # noqa: F401 - a case asks its reader what it raises
from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.places import Place
from loadproof.rules.base import Found, Rule
from loadproof.rules.diagnose import run_rules
from tests.rules.build import case

NEGATIVE = Problem("LP014", "config.json", "a is negative", None, "a", "-1", line=2)
HEADER = Problem("LP006", "m.safetensors", "bad header", detail="utf-8")


def reporting(code: str, *absorbs: str) -> Rule:
    def check(seen: Case) -> Iterable[Found]:
        yield Found(severity="error", confidence="certain", headline="found")

    return Rule(code=code, slug=code.lower(), group="files", title="a rule", check=check, absorbs=absorbs)


def test_a_problem_that_no_rule_took_up_becomes_a_finding() -> None:
    findings, _ = run_rules(case(problems=(NEGATIVE, NEGATIVE, HEADER)), [reporting("LP006")])
    assert [(item.code, item.slug) for item in findings] == [("LP006", "lp006"), ("LP014", "config-value")]
    assert findings[1].headline == "a is negative"
    assert [(item.where, item.text) for item in findings[1].evidence] == [(Place("config.json", 2), "a = -1")]


def test_what_a_rule_absorbs_is_reported_by_it() -> None:
    findings, _ = run_rules(case(problems=(NEGATIVE, HEADER)), [reporting("LP006", "LP014")])
    assert [item.code for item in findings] == ["LP006"]


def test_the_worst_comes_first_and_says_what_the_reader_raises() -> None:
    minor = Problem("LP004", "n.safetensors", "goes on", severity="warning")
    findings, _ = run_rules(case(problems=(minor, HEADER)), [])
    assert [(item.code, item.severity) for item in findings] == [("LP006", "error"), ("LP004", "warning")]
    (note,) = findings[0].notes
    assert (note.label, note.text[:15]) == ("reader", "SafetensorError")
