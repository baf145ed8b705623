"""No name in src that nobody uses: ``python -m tests.dead_code`` (part of `make lint`).

Left out: what a model source or an error text names and our code does not (the stand-ins of torch and transformers),
what Python and pytest call by its name, and what a user of the library may read.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from vulture import Vulture

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "loadproof"
# Stand-ins: their names are those of the real library, which model sources use.
STAND_INS = ("interpret/shapes/", "interpret/release/")
# By Python, pytest, string.Formatter, rich_argparse, transformers' Trainer, and the tables of report/ and readers/.
CALLED_BY_NAME = re.compile(
    r"__\w+__|pytest_\w+|test_\w+|convert_field|format_field|group_name_formatter|on_save|render_\w+|\w+Reader"
)
OF_PROTOCOLS = {  # name: who reads it
    "PeftReader": "the table of readers",
    "dev": "evaluated code: packaging.version.Version",
    "runtest": "pytest",
    "reportinfo": "pytest",
    "checkpoint_report": "pytest, a fixture",
    "GenerateReadyTests": "tests of users",
    "LayerPlanTests": "tests of users",
    "CheckSavedCheckpoints": "scripts of users",
    "if_false": "the kernel: a field of its struct",
    "read_s": "the JSON report, which lists the fields",
    "expect_s": "the JSON report, which lists the fields",
    "finds": "report/page_*.py, which go through the fields",
    "minor": "model sources: sys.version_info",
    "micro": "model sources: sys.version_info",
}


def unused() -> list[str]:
    """``path:line: what``, for each name of src that neither src nor the tests use."""
    found = Vulture()
    found.scavenge([str(SRC), str(ROOT / "tests"), str(ROOT / "benchmarks")])
    items = [item for item in found.get_unused_code(min_confidence=60) if _is_ours(item.filename, item.name)]
    return [f"{item.filename.relative_to(ROOT)}:{item.first_lineno}: unused {item.typ} {item.name!r}" for item in items]


def _is_ours(file: Path, name: str) -> bool:
    if not file.is_relative_to(SRC) or str(file.relative_to(SRC)).startswith(STAND_INS):
        return False
    return CALLED_BY_NAME.fullmatch(name) is None and name not in OF_PROTOCOLS


if __name__ == "__main__":
    lines = unused()
    print("\n".join([*lines, f"{len(lines)} unused names"]))
    sys.exit(bool(lines))
