"""(kind of result, format) -> the function that renders it. A new output is one file here and its line in the table."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from loadproof.core.shown import Shown

_TABLE = {
    ("check", "text"): "text:render_text",
    ("check", "concise"): "concise:render_concise",
    ("check", "json"): "json_v1:render_json",
    ("check", "markdown"): "markdown:render_markdown",
    ("check", "github"): "github:render_github",
    ("check", "sarif"): "sarif:render_sarif",
    ("check", "gitlab"): "gitlab:render_gitlab",
    ("check", "junit"): "junit:render_junit",
    ("check", "html"): "html:render_html",
    ("checks", "text"): "checks_text:render_checks",
    ("checks", "concise"): "checks_concise:render_checks_concise",
    ("checks", "json"): "checks_json:render_checks_json",
    ("checks", "markdown"): "markdown:render_markdown",
    ("checks", "github"): "github:render_github",
    ("checks", "sarif"): "sarif:render_sarif",
    ("checks", "gitlab"): "gitlab:render_gitlab",
    ("checks", "junit"): "junit:render_junit",
    ("checks", "html"): "html:render_html",
    ("explain", "text"): "explain_text:render_explanation",
    ("explain", "concise"): "explain_concise:render_causes",
    ("explain", "json"): "json_v1:render_json",
    ("explain", "markdown"): "fenced:render_fenced",
    ("explain", "github"): "github:render_github",
    ("explain", "sarif"): "sarif:render_sarif",
    ("plan", "text"): "plan_text:render_plan",
    ("plan", "concise"): "plan_concise:render_plan_line",
    ("plan", "json"): "plan_json:render_plan_json",
    ("plan", "markdown"): "fenced:render_fenced",
    ("diff", "text"): "diff_text:render_diff",
    ("diff", "concise"): "diff_concise:render_differences",
    ("diff", "json"): "diff_json:render_diff_json",
    ("diff", "markdown"): "fenced:render_fenced",
    ("fix", "text"): "fix_text:render_fix",
    ("fix", "concise"): "fix_concise:render_choices",
    ("fix", "json"): "fix_json:render_fix_json",
    ("fix", "markdown"): "fenced:render_fenced",
    ("undo", "text"): "undo_text:render_undo",
    ("undo", "json"): "undo_json:render_undo_json",
    ("forget", "text"): "forget_text:render_forgotten",
    ("forget", "json"): "forget_json:render_forgotten_json",
    ("baseline", "text"): "baseline_text:render_baseline",
    ("baseline", "json"): "baseline_json:render_baseline_json",
    ("config", "text"): "config_text:render_config",
    ("config", "json"): "config_json:render_config_json",
    ("page", "text"): "page_text:render_page",
    ("page", "json"): "page_json:render_page_json",
    ("rules", "text"): "rules_text:render_rules",
    ("rules", "json"): "rules_json:render_rules_json",
}


def formats(kind: str) -> tuple[str, ...]:
    """The formats of one kind of result, in the order of the table."""
    return tuple(form for known, form in _TABLE if known == kind)


def kinds() -> tuple[str, ...]:
    """Every kind of result that has an output."""
    return tuple(dict.fromkeys(kind for kind, _ in _TABLE))


def renderer(kind: str, form: str) -> Callable[..., str]:
    """The function, imported when it is used. Raises ValueError for a pair that is not in the table."""
    if (kind, form) not in _TABLE:
        raise ValueError(f"no format {form!r} for {kind!r}; there are: {', '.join(formats(kind)) or 'none'}")
    module, _, name = _TABLE[kind, form].partition(":")
    function: Callable[..., str] = getattr(import_module(f"{__package__}.{module}"), name)
    return function


def render(result: Shown, form: str, **look: object) -> str:
    """The result in a format, each line ended by a newline.

    `look`: `verbose`, `quiet`, `color`, `width` (columns, None for whole lines), `given` (the options of the command
    that was typed), `status` and `fail_on` (what came of a check), `pages` (of the codes that occur); a renderer takes
    what it can use. Raises ValueError for a format that this kind does not have.
    """
    return renderer(result.kind, form)(result, **look)
