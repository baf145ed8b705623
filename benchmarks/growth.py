"""How processor time and memory of a check grow with inputs that were made to be heavy.

python benchmarks/growth.py [--only WORDS] [--sizes 2000 20000]

Prints a Markdown table: bytes of the input, CPU seconds and peak memory of the process, and how they grew from the
size before. The bar: ten times the input takes at most twelve times the time, and memory stays below ten times the
size of the files plus 64 MB. The exit status is 1 when it is missed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from heavy_inputs import HEAVY, Builder
from run import Cost, measure

TIME, MEMORY, BASE = 1.2, 10.0, 64.0  # times the growth of the input; times its size; MB
START = 0.3  # CPU seconds of a check that meets no more than a handful of names
COLUMNS = "| input | n | MB | CPU s | peak MB | CPU against the size before |"


def cost(build: Builder, n: int) -> tuple[int, Cost]:
    """(bytes of the input, cost of a check)."""
    folder = Path(tempfile.mkdtemp(prefix="loadproof-growth-"))
    try:
        size = build(folder, n)
        command = [sys.executable, "-m", "loadproof", "check", str(folder), "--no-cache"]
        return size, measure(command, str(folder / "cache"))
    finally:
        shutil.rmtree(folder)


def row(kind: str, sizes: list[int]) -> bool:
    """Print the rows of one kind; whether the bar is met."""
    met, before = True, 0.0
    for place, n in enumerate(sizes):
        size, found = cost(HEAVY[kind], n)
        allowed = TIME * n / sizes[place - 1] * before + START if place else 0.0
        fits = (not place or found.cpu <= allowed) and found.memory <= MEMORY * size / 1e6 + BASE
        growth = f"x {found.cpu / before:.1f}" if place else ""
        print(
            f"| {kind} | {n:,} | {size / 1e6:.2f} | {found.cpu:.2f} | {found.memory:.0f} | {growth} "
            f"{'' if fits else '**missed**'}|",
            flush=True,
        )
        before, met = found.cpu, met and fits
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="part of a kind's name")
    parser.add_argument("--sizes", type=int, nargs="+", default=[2_000, 20_000])
    arguments = parser.parse_args()
    print(COLUMNS)
    print("|" + "---|" * 6)
    results = [row(kind, arguments.sizes) for kind in HEAVY if arguments.only in kind]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
