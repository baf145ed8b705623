"""``loadproof rules``."""

from __future__ import annotations

import argparse

from loadproof.cli.options import add_color, parser_for
from loadproof.cli.output import color_for, write

_DESCRIPTION = "List every fault that is known. 'loadproof explain LP301' shows the page of one."


def main(arguments: list[str]) -> int:
    """Print one line per rule, in order of codes."""
    options = _parse(arguments)
    from loadproof.report.style import paint
    from loadproof.rules import RULES

    ordered = sorted(RULES, key=lambda rule: rule.code)
    if options.format == "json":
        import json

        items = [{"code": rule.code, "slug": rule.slug, "title": rule.title} for rule in ordered]
        write(json.dumps(items, indent=2) + "\n")
        return 0
    color = color_for(options.color, None)
    width = max((len(rule.slug) for rule in ordered), default=0)
    lines = [
        paint((("command", rule.code), ("bold", f"  {rule.slug:<{width}}"), ("", f"  {rule.title}")), color)
        for rule in ordered
    ]
    write("".join(f"{line}\n" for line in lines))
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = parser_for("rules [options]", _DESCRIPTION, arguments)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_color(parser)
    return parser.parse_args(arguments)
