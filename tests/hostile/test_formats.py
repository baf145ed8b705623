"""Every hostile file gets its rule, at its severity, at once; healthy ones get none; nothing in them runs."""

from __future__ import annotations

import resource
from collections import Counter
from pathlib import Path

import pytest

from loadproof.core.checkpoint import Manifest, Problem
from loadproof.formats import checkpoint_at
from tests.hostile import index_cases, safetensors_cases, unread_cases
from tests.hostile.making import Case
from tests.hostile.selecting import select
from tests.timing import at_most

READ = [*safetensors_cases.cases(), *index_cases.cases()]
UNREAD = list(unread_cases.cases())
WORDS = {"ok": None, "info": "info", "warn": "warning", "error": "error"}


def examine(case: Case, folder: Path) -> tuple[Manifest, tuple[Problem, ...]]:
    checkpoint = checkpoint_at(str(case.write(folder)), follow_links=False)
    manifest = checkpoint.manifest(select(checkpoint.inventory))
    return manifest, checkpoint.inventory.problems + manifest.problems


def worst(problems: tuple[Problem, ...]) -> str | None:
    severities = {problem.severity for problem in problems}
    return next((word for word in ("error", "warning", "info") if word in severities), None)


@pytest.mark.parametrize("case", READ, ids=lambda case: case.id)
def test_the_right_rule_speaks_at_the_right_severity(case: Case, tmp_path: Path) -> None:
    with at_most(seconds=5):
        _, problems = examine(case, tmp_path)
    assert worst(problems) == WORDS[case.expect], problems
    assert not case.code or (case.code, WORDS[case.expect]) in {(p.code, p.severity) for p in problems}, problems


@pytest.mark.parametrize("case", [case for case in READ if case.expect != "ok"], ids=lambda case: case.id)
def test_problems_stay_few_and_short(case: Case, tmp_path: Path) -> None:
    _, problems = examine(case, tmp_path)
    assert len(problems) <= 8
    assert all(len(problem.text) < 700 and "\n" not in problem.text for problem in problems), problems


@pytest.mark.parametrize("case", UNREAD, ids=lambda case: case.id)
def test_other_formats_are_named_as_unread_and_never_run(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    canary = tmp_path / "canary"
    monkeypatch.setenv("LOADPROOF_CANARY", str(canary))
    manifest, problems = examine(case, tmp_path)
    assert manifest.families == ()
    if case.expect == "skip":
        assert [skip for skip in manifest.skipped if "not read yet" in skip.why]
        assert worst(problems) is None
    else:
        assert (case.code, "error") in {(p.code, p.severity) for p in problems}
    assert not canary.exists()


def test_the_corpus_has_not_shrunk() -> None:
    counts = Counter((case.group, case.expect) for case in READ)
    assert counts["safetensors", "error"] >= 90
    assert counts["safetensors", "ok"] >= 14
    assert counts["index", "error"] >= 40
    assert len({case.id for case in READ + UNREAD}) == len(READ + UNREAD)


def test_the_corpus_leaves_memory_bounded(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number, case in enumerate(READ):
        examine(case, tmp_path / str(number))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024  # KiB
