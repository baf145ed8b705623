"""The text reports that the pages show: ``python -m tests.rules.snapshots`` writes them anew.

The first bad example of every page carries one; paths are scrubbed to PATH.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import msgspec
from msgspec.structs import replace

from loadproof.core.case import Report
from loadproof.report import render_text
from tests.rules.case_files import REPORT, Example, read_page
from tests.rules.judge import report_of

CASES = Path(__file__).parent / "cases"


def _as_data(report: Report) -> Report:
    return replace(report, case=replace(report.case, checkpoint=None))


def scrubbed(report: Report) -> str:
    """The report as text, with the folder of this run replaced by PATH."""
    # Before the layout looks at its length, and wherever it stands: in errors of the reader, notes, evidence.
    folder = report.case.inventory.location.encode()
    return render_text(msgspec.json.decode(msgspec.json.encode(_as_data(report)).replace(folder, b"PATH"), type=Report))


def renew(page: Path) -> None:
    """Write the report of the first bad example below its zoo block."""
    example = next(one for one in read_page(page) if one.kind == "bad")
    with tempfile.TemporaryDirectory() as folder:
        shown = scrubbed(report_of(example, Path(folder) / "checkpoint"))
    page.write_text(with_report(page.read_text(), example, shown))


def with_report(text: str, example: Example, shown: str) -> str:
    text = re.sub(r"\n" + REPORT.pattern, "", text, flags=re.M | re.S)
    start = text.index(f"## {example.kind}: {example.title}")
    end = text.index("\n```\n", text.index("```zoo", start)) + len("\n```\n")
    return f"{text[:end]}\n```report\n{shown}```\n{text[end:]}"


if __name__ == "__main__":
    for one in sorted(CASES.glob("LP*.md")):
        renew(one)
