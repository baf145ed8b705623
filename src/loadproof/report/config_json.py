"""The settings in force as JSON (docs/results.v1.schema.json)."""

from __future__ import annotations

from loadproof.core.policy import Settings
from loadproof.report.as_json import head, rendered, text


def render_config_json(settings: Settings, **_: object) -> str:
    """Each key with its value and where that stands."""
    return rendered(
        {
            **head(),
            "kind": settings.kind,
            "file": None if settings.file is None else text(settings.file),
            "target": None if settings.target is None else text(settings.target),
            "passed_over": [{"file": text(file), "why": why} for file, why in settings.passed_over],
            "settings": {one.key: {"value": one.value, "origin": text(one.origin)} for one in settings.settings},
        }
    )
