"""Logs of any size are cut to what can matter, in bounded memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

from loadproof.tracebacks import candidates, read_symptom
from loadproof.tracebacks.select import EARLY, HEAD, LONGEST, TAIL, select

ERROR = ["Traceback (most recent call last):", '  File "a.py", line 1, in f', "KeyError: 'model.layers.4.self_attn'"]


def noise(count: int) -> Iterator[str]:
    return (f"step {number} loss {number % 7}.25 tokens {number * 4096}" for number in range(count))


def test_a_short_log_stays_whole() -> None:
    lines = list(noise(50))
    assert select(lines) == lines


def test_an_error_in_the_middle_of_a_long_log_is_found() -> None:
    def log() -> Iterator[str]:
        yield from noise(30_000)
        yield from ERROR
        yield from noise(30_000)

    kept = select(log())
    assert [line for line in kept if line in ERROR] == ERROR
    assert len(kept) < HEAD + 500


def test_a_log_full_of_hits_is_bounded() -> None:
    lines = [f"Error: parameter {number} not found, missing tensor" for number in range(80_000)]
    assert len(select(lines)) <= HEAD + EARLY + TAIL


def test_the_first_traceback_among_many_hits_is_kept() -> None:
    def log() -> Iterator[str]:
        yield from noise(5000)
        yield from ERROR
        for number in range(60_000):
            yield f"Error: request {number} failed, engine is not running"

    assert "pp-foreign-layer" in [cause.key for cause in candidates(read_symptom(log()))]


def test_memory_stays_bounded_whatever_the_size() -> None:
    tracemalloc.start()
    read_symptom(line for part in (noise(60_000), iter(ERROR)) for line in part)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24 * 2**20


def test_an_endless_line_is_cut() -> None:
    assert len(select(["x" * (LONGEST + 5)])[0]) == LONGEST


def test_hostile_lines_are_cut_after_the_first_long_ones() -> None:
    kept = select("ValueError('" * 1000 for _ in range(500))
    assert sum(map(len, kept)) < 3_000_000


def test_a_long_list_of_names_stays_whole() -> None:
    names = ", ".join(f"'model.layers.{layer}.mlp.up_proj.weight'" for layer in range(600))
    symptom = read_symptom(
        [f"Some weights of X were not initialized from the model checkpoint at /m and are newly initialized: [{names}]"]
    )
    assert len(symptom.missing) == 600
