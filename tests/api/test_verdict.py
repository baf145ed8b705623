"""Verdict and exit status as pure functions."""

from __future__ import annotations

from typing import Any

import pytest

import loadproof.readers  # noqa: F401 - a case asks its reader what it raises
from loadproof.api.verdict import decide, exit_status, status_of
from loadproof.core.case import Case, Report, Timings
from loadproof.core.checkpoint import Inventory, Manifest, Problem, Selection
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.core.findings import Finding
from loadproof.core.outcome import Outcome, Row

MISSING = Row("missing", "a", ())
UNUSED = Row("unexpected", "b", ())


def case(**changes: Any) -> Case:
    parts: dict[str, Any] = {
        "inventory": Inventory("x", ()),
        "selection": Selection("m.safetensors", ("m.safetensors",), "safetensors"),
        "manifest": Manifest("safetensors", (), (), 0, 0),
        "config": ModelConfig("config.json", {"a": 1}, '{\n "a": 1}'),
        "expectation": Expectation("transformers", "5.24.0", "X", "x", "installed"),
        "outcome": Outcome(),
    }
    return Case(**(parts | changes))


def finding(severity: Any, *rows: Row, code: str = "LP401", confidence: Any = "certain") -> Finding:
    return Finding(code, "slug", severity, confidence, "headline", rows=rows, explains=len(rows))


def broken(file: str) -> Problem:
    return Problem("LP006", file, "bad header", detail="utf-8")


TAKEN = Problem("LP006", "m.safetensors", "odd header that the reader takes")


@pytest.mark.parametrize(
    ("changes", "findings", "unexplained", "verdict"),
    [
        ({}, (), (), "loads"),
        ({}, (), (UNUSED,), "loads"),
        ({}, (), (MISSING,), "loads-wrong"),
        ({}, (finding("error", MISSING),), (), "loads-wrong"),
        ({}, (finding("warning", MISSING),), (), "loads-wrong"),
        ({}, (finding("info", MISSING),), (), "loads"),
        ({}, (finding("error"),), (), "loads-wrong"),
        ({}, (finding("warning"),), (), "loads"),
        ({}, (finding("error", code="LP110"),), (), "loads"),
        ({"outcome": Outcome(raises=True)}, (), (), "fails"),
        ({"selection": Selection(None, (), "none", "OSError")}, (), (), "fails"),
        ({"expectation": Expectation("t", "", "", "", "none", raises="KeyError")}, (), (), "fails"),
        ({"expectation": Expectation("t", "", "", "", "none", inconclusive="?")}, (), (), "inconclusive"),
        ({"outcome": Outcome(inconclusive="?")}, (), (), "inconclusive"),
        ({"outcome": Outcome(inconclusive="?")}, (finding("error"),), (), "loads-wrong"),
        ({"outcome": Outcome(inconclusive="?")}, (finding("error", confidence="likely"),), (), "inconclusive"),
        ({"outcome": Outcome(inconclusive="?", raises=True)}, (), (), "fails"),
        ({"inventory": Inventory("x", (), (), (broken("m.safetensors"),))}, (), (), "fails"),
        ({"inventory": Inventory("x", (), (), (broken("unused.safetensors"),))}, (), (), "loads"),
        ({"config": ModelConfig("config.json", {}, "", (broken("config.json"),))}, (), (), "fails"),
        ({"inventory": Inventory("x", (), (), (TAKEN,))}, (), (), "loads"),
    ],
)
def test_the_verdict_follows_from_the_case(changes: Any, findings: Any, unexplained: Any, verdict: str) -> None:
    assert decide(case(**changes), findings, unexplained) == verdict


@pytest.mark.parametrize(
    ("verdict", "severity", "fail_on", "status"),
    [
        ("loads", None, "error", 0),
        ("loads", "warning", "error", 0),
        ("loads", "warning", "warning", 1),
        ("loads", "info", "info", 1),
        ("loads", "error", "error", 1),
        ("loads", "error", "never", 0),
        ("fails", None, "never", 1),
        ("loads-wrong", None, "never", 1),
        ("inconclusive", None, "error", 3),
        ("inconclusive", "error", "error", 1),
        ("inconclusive", "warning", "error", 3),
    ],
)
def test_the_exit_status_follows_from_verdict_and_findings(
    verdict: Any, severity: Any, fail_on: str, status: int
) -> None:
    findings = () if severity is None else (finding(severity),)
    assert exit_status(verdict, findings, fail_on) == status


@pytest.mark.parametrize(
    ("verdict", "severity", "status"),
    [
        ("inconclusive", None, 0),
        ("inconclusive", "warning", 0),
        ("inconclusive", "error", 1),
        ("loads", None, 0),
        ("fails", None, 1),
        ("loads-wrong", None, 1),
    ],
)
def test_what_is_merely_unjudged_can_be_allowed(verdict: Any, severity: Any, status: int) -> None:
    findings = () if severity is None else (finding(severity),)
    assert exit_status(verdict, findings, allow_inconclusive=True) == status


@pytest.mark.parametrize(("unexplained", "status"), [((), 0), ((UNUSED,), 0), ((MISSING,), 3)])
def test_a_parameter_known_to_stay_random_is_never_merely_unjudged(unexplained: Any, status: int) -> None:
    report = Report(case(), "inconclusive", (), unexplained, (), (), Timings())
    assert status_of(report, allow_inconclusive=True) == status
