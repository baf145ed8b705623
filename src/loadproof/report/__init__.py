"""Reports for people and machines. Output reads a `Report` only; every string from a file goes through `escape`."""

from loadproof.report.concise import render_concise
from loadproof.report.json_v1 import render_json
from loadproof.report.text import render_text

__all__ = ["render_concise", "render_json", "render_text"]
