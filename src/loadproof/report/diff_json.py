"""Two checkpoints side by side as JSON (docs/results.v1.schema.json)."""

from __future__ import annotations

from typing import Any

from loadproof.core.families import names_of
from loadproof.core.outcome import Outcome
from loadproof.core.results import DiffReport, Fit, TensorChange
from loadproof.report.as_json import expanded, head, rendered, text
from loadproof.report.words import tally


def render_diff_json(report: DiffReport, **_: object) -> str:
    """Every difference by name, and which config fits which weights."""
    return rendered(
        {
            **head(),
            "kind": report.kind,
            "first": text(report.first.case.inventory.location),
            "second": text(report.second.case.inventory.location),
            "same": report.same,
            "fits": [_fit(fit) for fit in report.fits],
            "config": [
                {"path": list(change.path), "first": change.first, "second": change.second} for change in report.config
            ],
            "renamed": [
                {"first": text(one.first), "second": text(one.second), "names": one.names} for one in report.renamed
            ],
            "roles": [{"name": role.name, "first": role.first, "second": role.second} for role in report.roles],
            "only_first": expanded(report.only_first),
            "only_second": expanded(report.only_second),
            "changed": [line for change in report.changed for line in _changes(change)],
        }
    )


def _fit(fit: Fit) -> dict[str, Any]:
    sides = ("first", "second")
    outcome: Outcome = fit.outcome
    return {
        "config": sides[fit.config],
        "weights": sides[fit.weights],
        "fits": fit.fits,
        "inconclusive": None if outcome.inconclusive is None else text(outcome.inconclusive),
        "rows": tally(outcome.rows),
    }


def _changes(change: TensorChange) -> list[dict[str, Any]]:
    (first_shape, first_type), (second_shape, second_type) = change.first, change.second
    sides = {
        "first": {"shape": first_shape, "dtype": first_type},
        "second": {"shape": second_shape, "dtype": second_type},
    }
    return [{"name": text(name), **sides} for name in names_of(change.template, change.axes)]
