"""Fuzz one parser: coverage-guided where atheris is installed, else by random mutation.

python -m tests.fuzz.run header [--runs 1000000] [--seconds 600] [--seed 1] [--corpus FOLDER]

`--corpus` keeps the inputs that reached something new (with atheris); `python -m tests.fuzz.cover header FOLDER` then tells
which lines they reach.

Exit status 1 on a broken promise, an input slower than a second, or memory beyond the start + 64 MB.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

try:
    import atheris

    INSTRUMENTED = atheris.instrument_imports(include=["loadproof"])
except ImportError:
    atheris = None
    INSTRUMENTED = contextlib.nullcontext()

with INSTRUMENTED:
    from tests.fuzz.targets import TARGETS, Target
    from tests.hostile.mutating import mutate

SLOWEST = 1.0  # seconds for one input
MOST_MEMORY = 64  # MB on top of what the process has after the first inputs
_WARM_UP = 1000
_TELL_EVERY = 10_000


class Watch:
    """Runs one input after the other and keeps the count, the slowest and the memory."""

    def __init__(self, check: Callable[[bytes], None]) -> None:
        self.check = check
        self.count = 0
        self.slowest = 0.0
        self.base = 0

    def __call__(self, content: bytes) -> None:
        took = self._time(content, time.perf_counter)
        if took > SLOWEST:  # or the machine was busy with something else
            took = self._time(content, time.process_time)
        self.slowest = max(self.slowest, took)
        self.count += 1
        if self.count == _WARM_UP:
            self.base = memory()
        if self.slowest > SLOWEST:
            raise AssertionError(f"an input of {len(content)} bytes took {self.slowest:.2f} s")
        if self.base and self.count % 1000 == 0 and memory() - self.base > MOST_MEMORY:
            raise AssertionError(f"memory grew by {memory() - self.base} MB")

    def _time(self, content: bytes, clock: Callable[[], float]) -> float:
        start = clock()
        self.check(content)
        return clock() - start

    def report(self, target: Target) -> None:
        grown = memory() - self.base if self.base else 0
        print(
            f"{self.count:,} inputs, slowest {self.slowest * 1000:.1f} ms, memory +{grown} MB {target.depths()}",
            flush=True,
        )


def memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def mutant(rng: random.Random, target: Target, seed: bytes) -> bytes:
    if target.mutate is not None:
        return target.mutate(rng, seed)
    return mutate(rng, seed) if target.prefix else mutate(rng, bytes(8) + seed)[8:]


def fuzz_at_random(watch: Watch, target: Target, options: argparse.Namespace) -> None:
    gc.freeze()  # what is imported by now stays
    rng, seeds, end = random.Random(options.seed), target.seeds(), time.monotonic() + options.seconds
    while watch.count < options.runs and time.monotonic() < end:
        content = mutant(rng, target, rng.choice(seeds))
        try:
            watch(content)
        except BaseException:
            Path("fuzz-failure.bin").write_bytes(content)
            raise
        if watch.count % _TELL_EVERY == 0:
            watch.report(target)
    watch.report(target)


def fuzz_with_coverage(watch: Watch, target: Target, options: argparse.Namespace) -> None:
    def mutator(content: bytes, max_size: int, number: int) -> bytes:
        if number % 2 and target.mutate is None:
            return bytes(atheris.Mutate(content, max_size))
        return mutant(random.Random(number), target, content or b"{}")[:max_size]

    def check(content: bytes) -> None:
        watch(content)
        if watch.count % _TELL_EVERY == 0:
            watch.report(target)

    with tempfile.TemporaryDirectory() as temporary:
        corpus = options.corpus or temporary
        os.makedirs(corpus, exist_ok=True)
        for number, content in enumerate(target.seeds()):
            Path(corpus, f"seed{number}").write_bytes(content)
        flags = [f"-runs={options.runs}", f"-max_total_time={options.seconds}", f"-seed={options.seed}"]
        flags += ["-max_len=8000", "-rss_limit_mb=2048", "-timeout=5", "-print_final_stats=1"]
        atheris.Setup([sys.argv[0], *flags, corpus], check, custom_mutator=mutator)
        atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("target", choices=list(TARGETS))
    parser.add_argument("--runs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=86_400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", help="where inputs that reached something new are kept")
    parser.add_argument("--random", action="store_true", help="do not use atheris even if it is installed")
    options = parser.parse_args()
    target = TARGETS[options.target]
    fuzz = fuzz_at_random if options.random or atheris is None else fuzz_with_coverage
    fuzz(Watch(target.check), target, options)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
