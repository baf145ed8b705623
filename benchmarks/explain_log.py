"""CPU seconds and peak memory of `explain` on a 50 MB log: python benchmarks/explain_log.py

Two logs: a server's usual chatter, and one in which every line looks like an error; the real error is at the end.
The bar is 2 CPU seconds for each.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from loadproof.cli.explain import pieces
from loadproof.tracebacks import candidates, read_symptom

SIZE = 50_000_000
BAR = 2.0
ERROR = "KeyError: 'language_model.model.layers.20.linear_attn'\n"


def chatter(number: int) -> str:
    stamp = f"12:{number // 60 % 60:02d}:{number % 60:02d}"
    head = f"(Worker_TP{number % 8} pid={1000 + number % 8}) INFO 11-02 {stamp} [loggers.py:123] "
    return (
        f"{head}Engine 000: throughput {number % 977}.5 tokens/s, running {number % 100} reqs, cache {number % 97}.0%\n"
    )


def alarms(number: int) -> str:
    name = f"visual.blocks.{number}.norm1.weight"
    return f"WARNING 11-02 12:00:00 [x.py:1] Error: Parameter {name} not found, missing tensor\n"


def write(path: Path, line: object) -> None:
    assert callable(line)
    with path.open("w") as file:
        written = number = 0
        while written < SIZE:
            written += file.write(line(number))
            number += 1
        file.write(ERROR)


def lines_of(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as file:
        yield from pieces(file)


def main() -> int:
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for make in (chatter, alarms):
            path = Path(folder) / "server.log"
            write(path, make)
            started = time.process_time()
            first = candidates(read_symptom(lines_of(path)))[0]
            spent = time.process_time() - started
            slowest = max(slowest, spent)
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{make.__name__:<8} {spent:.2f} CPU s, peak {memory:.0f} MB, first cause {first.key}")
    return 0 if slowest < BAR else 1


if __name__ == "__main__":
    sys.exit(main())
