"""The settings in force, one a line, as they are written in a policy file."""

from __future__ import annotations

import json

from loadproof.core.policy import Setting, Settings
from loadproof.report.escape import LONG, clean, guard_line
from loadproof.report.style import Line, paint


def render_config(settings: Settings, *, color: bool = False, **_: object) -> str:
    """``fail-on = "error"    # default``; files that are passed over, and why."""
    lines: list[Line] = [(("bold", "policy "), ("", clean(settings.file or "none", LONG)))]
    lines += [(("warning", "unused "), ("", clean(f"{file}: {why}", LONG))) for file, why in settings.passed_over]
    lines += [(("bold", "target "), ("", clean(settings.target, LONG)))] if settings.target else []
    texts = [_written(one) for one in settings.settings]
    width = max(len(text) for text in texts)
    lines += [
        (("", f"{text:<{width}}"), ("dim", f"  # {clean(one.origin, LONG)}"))
        for text, one in zip(texts, settings.settings, strict=True)
    ]
    return "".join(guard_line(paint(line, color)) + "\n" for line in lines)


def _written(setting: Setting) -> str:
    value = setting.value
    if value is None:
        return f"# {setting.key} is not set"
    if isinstance(value, dict):
        inner = ", ".join(f"{key} = {json.dumps(one)}" for key, one in value.items())
        return clean(f"{setting.key} = {{ {inner} }}" if inner else f"{setting.key} = {{}}", LONG)
    return clean(f"{setting.key} = {json.dumps(list(value) if isinstance(value, tuple) else value)}", LONG)
