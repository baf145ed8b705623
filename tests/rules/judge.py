"""Run one example of a case file through `check` and say everything that differs from what its page demands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from loadproof.api import check
from loadproof.core.case import Report
from loadproof.core.expectation import Expectation
from loadproof.core.findings import Finding
from loadproof.interpret.release.world import World
from loadproof.readers.transformers import TransformersReader
from loadproof.rules import RULES, diagnose
from loadproof.rules.diagnose import run_rules
from loadproof.rules.registry import adapter_rules
from loadproof.rules.rows import count_rows
from tests.interpret.sandbox.opening import opened
from tests.rules.case_files import Example

MOST_FINDINGS = 3  # errors and warnings for one fault


_known: dict[str, Expectation] = {}


@contextmanager
def remembered_expectations() -> Iterator[None]:
    """Many examples share one config: read the model source once for each. The files are built anew every time."""
    build = TransformersReader.build

    def remembered(self, checkpoint, reading):
        raw = checkpoint.config.raw
        key = json.dumps([raw, str(reading)], sort_keys=True)
        if raw.get("auto_map"):
            return build(self, checkpoint, reading)
        if key not in _known:
            _known[key] = build(self, checkpoint, reading)
        return _known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransformersReader, "build", remembered)
        yield


@contextmanager
def checking_only() -> Iterator[None]:
    """As on a machine that only checks: which packages are missing here does not matter where the model is loaded."""
    installed = World.installed
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(World, "installed", lambda self, name: None if name == "torch" else installed(self, name))
        yield


def report_of(example: Example, folder: Path) -> Report:
    with remembered_expectations(), opened() if "opened" in example.expect else nullcontext():
        return check(example.write(folder), names_only=example.names_only)


def complaints(example: Example, report: Report, code: str | None) -> list[str]:
    """Every difference between the report and the page, in words. `code`: the rule the page belongs to."""
    findings = report.findings
    loud = [finding for finding in findings if finding.severity != "info"]
    found = [*_coverage(report), *_expected(example, report)]
    found += [told(finding) for finding in findings if "the rule itself failed" in finding.headline]
    found += _hidden(report)
    offering = [f.slug for f in findings if any(offered.safety == "lossless" and offered.edits for offered in f.fixes)]
    if example.kind == "bad" and code is not None and offering != example.lossless:
        found.append(f"lossless: {', '.join(offering)} instead of {', '.join(example.lossless)}")
    if example.kind == "near-miss" and code is not None:
        allowed = example.expect.get("yields", ())
        mine = [finding for finding in findings if finding.code == code]
        found += [f"near-miss, yet {told(finding)}" for finding in mine if finding.severity not in allowed]
    if example.kind == "bad" and code is not None and code not in {finding.code for finding in findings}:
        found.append(f"{code} is not found")
    if "silent" in example.expect:
        found += [f"not silent: {told(finding)}" for finding in loud]
    if example.kind == "bad" and len(loud) > MOST_FINDINGS:
        found.append(f"{len(loud)} findings for one fault: {[finding.slug for finding in loud]}")
    return found


def _hidden(report: Report) -> list[str]:
    """A gate of the registry may only save work; LP703 alone is held back, where something else is wrong."""
    with remembered_expectations():
        told_findings, left = diagnose(report.case)
        is_adapter = report.case.outcome.adapter is not None or report.case.expectation.reader == "peft"
        all_findings, all_left = run_rules(report.case, adapter_rules() if is_adapter else RULES)
    same = [f for f in told_findings if f.code != "LP703"] == [f for f in all_findings if f.code != "LP703"]
    return [] if same and left == all_left else ["a gate of the registry hides what a rule would find"]


def _coverage(report: Report) -> list[str]:
    """Every reported row belongs to one finding or is unexplained."""
    rows = count_rows(report.case.outcome.rows)
    told_rows = sum(finding.explains for finding in report.findings)
    left = count_rows(report.unexplained)
    return [] if told_rows + left == rows else [f"{rows} rows, {told_rows} explained and {left} left over"]


def _expected(example: Example, report: Report) -> list[str]:
    findings = report.findings
    first = findings[0] if findings else None
    found = []
    for key, actual in (
        ("first", first.slug if first else "nothing"),
        ("verdict", report.verdict),
        ("severity", first.severity if first else "nothing"),
        ("unexplained", str(count_rows(report.unexplained))),
    ):
        wanted = example.one(key)
        if wanted is not None and wanted != actual:
            found.append(f"{key}: {actual} instead of {wanted}")
    slugs = {finding.slug for finding in findings}
    found += [f"also {slug}: not found" for slug in _words(example, "also") if slug not in slugs]
    tags = {tag for fix in (first.fixes if first else ()) for tag in map(edit_tag, fix.edits)}
    found += [f"fix {tag}: not offered, only {sorted(tags)}" for tag in _words(example, "fix") if tag not in tags]
    said = told(first) if first else ""
    found += [f"does not say {text!r}" for text in example.expect.get("says", ()) if text not in said]
    return found


def _words(example: Example, key: str) -> list[str]:
    return [word.strip() for line in example.expect.get(key, ()) for word in line.split(",")]


def edit_tag(edit: object) -> str:
    return str(type(edit).__struct_config__.tag)  # type: ignore[attr-defined]


def told(finding: Finding) -> str:
    """A finding as one text: slug, headline, evidence, notes, fixes."""
    lines = [f"{finding.severity} {finding.slug}: {finding.headline}"]
    lines += [f"{line.where} {line.text}" for line in finding.evidence]
    return "\n".join(
        [*lines, *(f"{note.label}: {note.text}" for note in finding.notes), *(fix.title for fix in finding.fixes)]
    )
