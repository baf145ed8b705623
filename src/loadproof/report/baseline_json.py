"""The file of accepted findings."""

from __future__ import annotations

from typing import Any

from loadproof.core.policy import BASELINE_VERSION, BaselineEntry, BaselineFile
from loadproof.report.as_json import rendered, text


def render_baseline_json(baseline: BaselineFile, **_: object) -> str:
    """What `loadproof check --baseline FILE` reads; entries in a fixed order, so that a diff shows what changed."""
    return rendered({"version": BASELINE_VERSION, "findings": [_entry(entry) for entry in baseline.entries]})


def _entry(entry: BaselineEntry) -> dict[str, Any]:
    return {
        name: text(value) for name in entry.__struct_fields__ if (value := getattr(entry, name)) or name != "reason"
    }
