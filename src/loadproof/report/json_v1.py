"""Schema 1.0, frozen: fields are only ever added (published as docs/report.v1.schema.json)."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from loadproof.core.case import Report
from loadproof.core.edits import Fix
from loadproof.core.families import names_of
from loadproof.core.findings import Accepted, Evidence, Finding
from loadproof.core.fingerprints import fingerprint
from loadproof.core.layer_letters import letters
from loadproof.core.outcome import Outcome, Row
from loadproof.report.as_json import head, rendered
from loadproof.report.as_json import text as _text
from loadproof.report.commands import fix_command
from loadproof.report.words import failure


def render_json(report: Report, **_: object) -> str:
    """The report as indented JSON, ended by a newline; names are expanded."""
    return rendered(as_data(report))


def as_data(report: Report) -> dict[str, Any]:
    """The report as plain dicts and lists, in the schema's field order."""
    case = report.case
    return {
        **head(),
        "target": _target(report),
        "reader": {
            "name": case.expectation.reader,
            "version": case.expectation.version,
            "class": case.expectation.class_name,
            "source": case.expectation.source,
            **_device(report),
        },
        "verdict": report.verdict,
        "outcome": _outcome(case.outcome, report),
        "layer_plan": _plan(report),
        "findings": [_finding(finding, report) for finding in report.findings],
        "unexplained": [_text(name) for row in report.unexplained for name in names_of(row.template, row.axes)],
        **({"accepted": [_accepted(one, report) for one in report.accepted]} if report.accepted else {}),
        "symptom": _symptom(report),
        "hints": [_text(case.expectation.hint)] if case.expectation.hint and report.verdict == "inconclusive" else [],
        "coverage": {
            "checked": list(report.checked),
            "skipped": [{"what": _text(skip.what), "why": _text(skip.why)} for skip in report.skipped],
            **({} if case.expectation.wall is None else {"wall": _text(case.expectation.wall)}),
        },
        "timings": {key: round(getattr(report.timings, key), 4) for key in report.timings.__struct_fields__},
    }


def _device(report: Report) -> dict[str, str]:
    """Nothing where every machine that was judged comes to the same, and none was asked about."""
    device = report.case.expectation.device or report.case.reading.device
    return {"device": device} if device else {}


def _target(report: Report) -> dict[str, Any]:
    manifest = report.case.manifest
    return {
        "location": _text(report.case.inventory.location),
        "format": manifest.format,
        "files": len(manifest.files),
        "tensors": manifest.tensors,
        "bytes": manifest.bytes,
    }


def _outcome(outcome: Outcome, report: Report) -> dict[str, Any]:
    error = failure(report) if report.verdict == "fails" else ""
    return {
        **_told(outcome),
        "raises": report.verdict == "fails",
        "error": _text(error) if error else None,
        **({"devices": {device: _told(one) for device, one in outcome.devices}} if outcome.devices else {}),
    }


def _told(outcome: Outcome) -> dict[str, Any]:
    """What becomes of the names, and the exception of the load itself."""
    return {
        "missing": _names(outcome.rows, "missing"),
        "unexpected": _names(outcome.rows, "unexpected"),
        "mismatched": [
            {"name": _text(name), "expected": list(row.expected or ()), "found": list(row.found or ())}
            for row in outcome.rows
            if row.kind == "mismatched"
            for name in names_of(row.template, row.axes)
        ],
        "conversion_errors": _names(outcome.rows, "conversion"),
        "misread": _names(outcome.rows, "misread"),
        "raises": outcome.raises,
        "error": _text(outcome.error) if outcome.error else None,
    }


def _names(rows: tuple[Row, ...], kind: str) -> list[str]:
    return [_text(name) for row in rows if row.kind == kind for name in names_of(row.template, row.axes)]


def _plan(report: Report) -> dict[str, str | None] | None:
    config, tensors = report.case.config_plan, report.case.tensor_plan
    if config is None and tensors is None:
        return None
    return {"config": letters(config) if config else None, "tensors": letters(tensors) if tensors else None}


def _finding(finding: Finding, report: Report) -> dict[str, Any]:
    return {
        "code": finding.code,
        "slug": finding.slug,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "headline": _text(finding.headline),
        "evidence": [*map(_evidence, finding.evidence), *_ways_to_tell(finding)],
        "explains": finding.explains,
        "fixes": [_fix(fix, finding, report) for fix in finding.fixes],
        "fingerprint": fingerprint(finding),
        **({"behind": list(finding.behind)} if finding.behind else {}),
    }


def _fix(fix: Fix, finding: Finding, report: Report) -> dict[str, Any]:
    return {
        "title": _text(fix.title),
        "safety": fix.safety,
        "loss": _text(fix.loss) or None,
        "command": _text(fix_command(report, finding, fix)) if fix.edits else None,
        "operations": [_plain(to_builtins(edit, enc_hook=str)) for edit in fix.edits],
    }


def _plain(value: Any) -> Any:
    """The same with every text as JSON can hold it."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return {_plain(key): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _accepted(one: Accepted, report: Report) -> dict[str, Any]:
    return {**_finding(one.finding, report), "reason": _text(one.reason)}


def _evidence(item: Evidence) -> dict[str, Any]:
    where = item.where
    return {
        "where": _text(str(where)),
        "text": _text(item.text),
        "place": {
            "file": _text(where.file) or None,
            "line": where.line,
            "tensor": _text(where.tensor) or None,
            "offset": where.offset,
        },
    }


def _ways_to_tell(finding: Finding) -> list[dict[str, Any]]:
    """Schema 1.0 lists them with the evidence."""
    tell = finding.how_to_tell
    if tell is None:
        return []
    texts = {"confirms": tell.confirms, "refutes": tell.refutes, "next": tell.next, "known": ", ".join(tell.see)}
    return [{"where": where, "text": _text(text)} for where, text in texts.items() if text or where != "known"]


def _symptom(report: Report) -> dict[str, Any] | None:
    symptom = report.case.symptom
    if symptom is None:
        return None
    return {
        "engine": symptom.engine,
        "engine_version": symptom.engine_version,
        "phase": symptom.phase,
        "exception": symptom.exception,
        "names": [_text(name) for name in symptom.names],
        "run": symptom.run,
        **({"elsewhere": _text(symptom.elsewhere)} if symptom.elsewhere else {}),
    }
