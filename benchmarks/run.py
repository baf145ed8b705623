"""What a check costs as a whole process, start of Python included, against the bars of the project.

python benchmarks/run.py [--runs 5] [--folder .bench] [--only L]

CPU seconds (user + system) and peak memory of the process, median of the runs. *first* is a run with an empty cache,
*again* one that finds its cache entry. Prints a Markdown table; the exit status is 1 when a bar is missed. The `floor`
rows are plain Python doing the least that any tool must do: compare machines by them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import make_sparse

FIRST_TIME = 0.4  # CPU seconds that a class and config not seen before may take on top
JSON_FLOOR = """
import glob, json, struct, sys
for path in glob.glob(sys.argv[1] + "/*.safetensors"):
    with open(path, "rb") as file:
        json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
for path in glob.glob(sys.argv[1] + "/*.index.json"):
    json.load(open(path))
"""


@dataclass(frozen=True)
class Bar:
    cpu: float  # seconds
    memory: float = 150.0  # MB


BARS = {"S": Bar(0.12), "M": Bar(0.20), "L": Bar(0.60), "XL": Bar(1.2, 300.0)}


@dataclass(frozen=True)
class Cost:
    cpu: float  # seconds
    memory: float  # MB, peak
    status: int


def measure(command: list[str], cache: str) -> Cost:
    """One run of a command with `cache` as the user's cache directory."""
    environment = os.environ | {"XDG_CACHE_HOME": cache, "NO_COLOR": "1"}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit / 2**20, os.waitstatus_to_exitcode(status))


def median(runs: int, one: Callable[[], Cost]) -> Cost:
    costs = [one() for _ in range(runs)]
    return Cost(statistics.median(c.cpu for c in costs), statistics.median(c.memory for c in costs), costs[-1].status)


def first(command: list[str]) -> Cost:
    with tempfile.TemporaryDirectory() as cache:
        return measure(command, cache)


class Table:
    """Prints row by row, and remembers whether a bar was missed."""

    def __init__(self) -> None:
        self.missed = False
        print("| what | CPU s | bar | peak MB | bar | |\n|---|---|---|---|---|---|")

    def add(self, what: str, cost: Cost, bar: Bar | None = None) -> None:
        is_met = bar is None or (cost.cpu <= bar.cpu and cost.memory <= bar.memory and cost.status == 0)
        self.missed |= not is_met
        cpu, memory = (f"{bar.cpu:.2f}", f"{bar.memory:.0f}") if bar else ("", "")
        word = "" if bar is None else "met" if is_met else f"MISSED (exit {cost.status})"
        print(f"| {what} | {cost.cpu:.3f} | {cpu} | {cost.memory:.0f} | {memory} | {word} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=Path(".bench"))
    parser.add_argument("--only", choices=list(BARS), action="append")
    options = parser.parse_args()
    loadproof = [sys.executable, "-m", "loadproof"]
    table = Table()
    with tempfile.TemporaryDirectory() as cache:

        def again(command: list[str]) -> Cost:
            return median(options.runs, lambda: measure(command, cache))

        table.add("floor: `python -c pass`", again([sys.executable, "-c", "pass"]))
        table.add("`loadproof --version`", again([*loadproof, "--version"]), Bar(0.03))
        table.add("`loadproof --help`", again([*loadproof, "--help"]), Bar(0.10))
        for size in options.only or BARS:
            folder = make_sparse.make_apart(options.folder, size)
            command = [*loadproof, "check", folder]
            table.add(
                f"floor {size}: json.loads of headers and index", again([sys.executable, "-c", JSON_FLOOR, folder])
            )
            cold = median(options.runs, lambda command=command: first(command))  # type: ignore[misc]
            table.add(f"`loadproof check` {size}, first", cold, Bar(BARS[size].cpu + FIRST_TIME, BARS[size].memory))
            measure(command, cache)
            table.add(f"`loadproof check` {size}, again", again(command), BARS[size])
    return 1 if table.missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
