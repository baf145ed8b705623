"""A repair as JSON (docs/results.v1.schema.json)."""

from __future__ import annotations

from typing import Any

from loadproof.core.repairs import Applied, Change, Choice, FixReport, Refusal
from loadproof.report.as_json import head, rendered, text
from loadproof.report.undo_json import applied_data


def render_fix_json(report: FixReport, **_: object) -> str:
    """What is planned, for which finding and in which file, and what came of it."""
    return rendered(
        {
            **head(),
            "kind": report.kind,
            "location": text(report.before.case.inventory.location),
            "before": report.before.verdict,
            "choices": [_choice(choice) for choice in report.choices],
            "changes": [_change(change) for change in report.plan.changes],
            "refusals": [_refusal(refusal) for refusal in report.plan.refusals],
            "blocked": [_refusal(refusal) for refusal in report.blocked],
            "left": [finding.code for finding in report.left],
            "applied": _applied(report.applied),
            "restored": text(report.restored) or None,
            "after": report.after.verdict if report.after else None,
        }
    )


def _refusal(refusal: Refusal) -> dict[str, str]:
    return {"reason": text(refusal.reason), "alternative": text(refusal.alternative)}


def _choice(choice: Choice) -> dict[str, Any]:
    finding, fix = choice.finding, choice.fix
    return {
        "code": finding.code,
        "slug": finding.slug,
        "headline": text(finding.headline),
        "fix": fix and {"title": text(fix.title), "safety": fix.safety, "loss": text(fix.loss)},
        "why": text(choice.why) or None,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "file": text(change.file),
        "action": change.action,
        "writes": change.writes,
        "note": text(change.note),
        "diff": [text(line) for line in change.diff],
    }


def _applied(applied: Applied | None) -> dict[str, Any] | None:
    return None if applied is None else applied_data(applied)
