"""Which lines the inputs of a corpus reach: ``python -m tests.fuzz.cover TARGET FOLDER`` (needs coverage.py)."""

from __future__ import annotations

import sys
from pathlib import Path

import coverage

PARTS = {"header": "formats", "index": "formats", "config": "config", "source": "interpret"}


def main(name: str, folder: str) -> int:
    seen = coverage.Coverage(branch=True, include=[f"*/loadproof/{PARTS[name]}/*"], data_file=None)
    seen.start()
    from tests.fuzz.targets import TARGETS  # under measurement, so that lines run by an import count

    for path in sorted(Path(folder).iterdir()):
        TARGETS[name].check(path.read_bytes())
    seen.stop()
    seen.report(show_missing=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
