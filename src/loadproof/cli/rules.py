"""``loadproof rules``."""

from __future__ import annotations

import argparse

from loadproof.cli.options import add_color, parser_for
from loadproof.cli.output import color_for, write

_DESCRIPTION = "List every fault that is known. 'loadproof explain LP301' shows the page of one."


def main(arguments: list[str]) -> int:
    """Print one line per code."""
    options = _parse(arguments)
    from loadproof.cli.pages import listed
    from loadproof.report.style import paint

    ordered = listed()
    if options.format == "json":
        import json

        items = [{"code": code, "slug": slug, "title": title} for code, slug, title in ordered]
        write(json.dumps(items, indent=2) + "\n")
        return 0
    color = color_for(options.color, None)
    width = max(len(slug) for _, slug, _ in ordered)
    lines = [
        paint((("command", code), ("bold", f"  {slug:<{width}}"), ("", f"  {title}")), color)
        for code, slug, title in ordered
    ]
    write("".join(f"{line}\n" for line in lines))
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = parser_for("rules [options]", _DESCRIPTION, arguments)
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_color(parser)
    return parser.parse_args(arguments)
