"""What a header-only repair costs, whatever the size of the file, against the bars of the project.

python benchmarks/repair.py [--size-gb 40] [--tensors 800] [--runs 5] [--folder DIR]

Writes one sparse safetensors file (its data is a hole), renames every tensor in place and undoes it, with names that
fit the header and with longer ones. Wall milliseconds of planning, applying and undoing (medians, and the slowest run),
and the bytes written by applying, counted at the system calls. The exit status is 1 when applying names that fit takes
50 ms or writes 1 MB.
"""

from __future__ import annotations

import argparse
import json
import statistics
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from loadproof.core.edits import RenameTensors
from loadproof.formats import checkpoint_at
from loadproof.repair import Plan, apply, plan_edits, undo
from loadproof.repair.disk import RealDisk

MILLISECONDS, BYTES = 50.0, 1_000_000
NAMES = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj")
NAMES += ("mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", "input_layernorm")


class Counter:
    """Counts what goes through `RealDisk.write`."""

    def __init__(self) -> None:
        self.total = 0
        honest = RealDisk.write

        def write(disk: RealDisk, name: str, offset: int, data: bytes) -> None:
            self.total += len(data)
            honest(disk, name, offset, data)

        RealDisk.write = write  # type: ignore[method-assign]


def make(folder: Path, size: int, count: int) -> RenameTensors:
    """One sparse file of about `size` bytes; returns the edit that renames all of its tensors."""
    layers = max(1, count // len(NAMES))
    each = size // (layers * len(NAMES)) // 8192 * 8192
    names = [f"language_model.model.layers.{layer}.{name}.weight" for layer in range(layers) for name in NAMES]
    entries = {
        name: {"dtype": "BF16", "shape": [each // 8192, 4096], "data_offsets": [i * each, (i + 1) * each]}
        for i, name in enumerate(names)
    }
    text = json.dumps({"__metadata__": {"format": "pt"}} | entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(folder / "model.safetensors", "wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        stream.truncate(8 + len(text) + each * len(names))
    (folder / "config.json").write_text("{}")
    old, new = "language_model.model.layers.{{}}.{}.weight", "model.layers.{{}}.{}.weight"
    axes = (tuple(range(layers)),)
    return RenameTensors(pairs=tuple((old.format(name), new.format(name), axes) for name in NAMES))


def timed(what: Callable[[], object]) -> float:
    start = time.perf_counter()
    what()
    return (time.perf_counter() - start) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size-gb", type=float, default=40)
    parser.add_argument("--tensors", type=int, default=800)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", default=None, help="where to make the file (default: the temporary folder)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        edit = make(Path(name), int(options.size_gb * 1e9), options.tensors)
        print("names that fit the header:")
        missed = measure(name, edit, options.runs)
        print("\nlonger names (room is inserted where the file system can; else the file is copied):")
        measure(name, longer(edit), options.runs)
        return missed


def longer(edit: RenameTensors) -> RenameTensors:
    """New names that need more room than the header has."""
    return RenameTensors(pairs=tuple((old, "model." + old, axes) for old, _, axes in edit.pairs))


def measure(folder: str, edit: RenameTensors, runs: int) -> int:
    counter, times, written = Counter(), {"plan": [], "apply": [], "undo": []}, 0
    for _ in range(runs):
        plans: list[Plan] = []
        times["plan"].append(timed(lambda kept=plans: kept.append(plan_edits(checkpoint_at(folder), [edit]))))
        counter.total = 0
        times["apply"].append(timed(lambda plan=plans[0]: apply(plan, readers_stopped=True)))
        written = counter.total
        times["undo"].append(timed(lambda: undo(folder)))
    for what, values in times.items():
        print(f"{what:6} {statistics.median(values):7.1f} ms   slowest {max(values):7.1f} ms")
    print(f"bytes written by apply: {written:,}")
    missed = statistics.median(times["apply"]) >= MILLISECONDS or written >= BYTES
    print("bar missed" if missed else f"within the bars: {MILLISECONDS:.0f} ms, {BYTES:,} bytes")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
