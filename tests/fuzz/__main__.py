"""Fuzz every parser, one process each: ``python -m tests.fuzz [RUNS]``."""

from __future__ import annotations

import subprocess
import sys

from tests.fuzz.targets import TARGETS


def main(wanted: str | None) -> int:
    failed = []
    for name, target in TARGETS.items():
        runs = int(wanted or target.runs)
        print(f"== {name}: {runs:,} inputs", flush=True)
        if subprocess.run([sys.executable, "-m", "tests.fuzz.run", name, "--runs", str(runs)], check=False).returncode:
            failed.append(name)
    print("failed: " + ", ".join(failed) if failed else "all kept their promises")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1] if len(sys.argv) > 1 else None))
