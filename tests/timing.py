"""CPU seconds of a piece of work in a test, freed of what the tests before it left to the garbage collector."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process. Objects of earlier tests are frozen, or each full collection would walk them."""
    gc.freeze()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.unfreeze()


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Fails where the block takes more CPU seconds: a hang or a blow-up. Budgets are the benchmark's business."""
    gc.freeze()
    start = time.process_time()
    try:
        yield
        spent = time.process_time() - start
    finally:
        gc.unfreeze()
    assert spent < seconds, f"{spent:.2f} CPU seconds"
