"""How often the expectation is right for another release: `python -m tests.differential.expectation.releases --python PYTHON`.

PYTHON is the interpreter of an environment that holds torch and the release to measure. It builds every causal and
conditional-generation class on the meta device (`truth`), with the default configuration and with random ones; here the
same release's source is read, and every disagreement is printed. What the other environment cannot build for want of a
package or of memory is counted apart. Exit status 1 when less than 99 % agree.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from loadproof.core.expectation import Expectation
from tests.differential.expectation.read import differing, read

BAR = 0.99
_AGREE = ("equal", "both refuse")
_CANNOT_BUILD = ("ImportError", "ModuleNotFoundError", "TooSlow")
_NO_MEMORY = "DefaultCPUAllocator"  # release 4 makes each tensor before it takes its memory away


def judge(record: dict[str, Any], source: str) -> tuple[str, str]:
    """(outcome, detail) of one record of the truth."""
    kind, said = record.get("error", ("", ""))
    if kind in _CANNOT_BUILD or _NO_MEMORY in said:
        return "cannot be built there", said
    found = read(record["class"], record["raw"], source)
    if found.inconclusive is not None:
        return "inconclusive", found.inconclusive
    if kind:
        return _judge_refused(f"{kind}: {said}", found)
    if found.raises is not None:
        return "only we refuse", found.raises
    parts = differing(record["facts"], found)
    return ("different", ", ".join(parts)) if parts else ("equal", "")


def _judge_refused(said: str, found: Expectation) -> tuple[str, str]:
    if found.raises is None:
        return "only the library refuses", said
    return "both refuse", "" if found.raises[:100] == said[:100] else f"{said} | ours: {found.raises}"


def measure(records: Iterable[dict[str, Any]], width: int) -> dict[str, Counter[str]]:
    """Outcomes counted per kind of configuration; prints those that need a look, in `width` characters each."""
    records = iter(records)
    release = next(records)
    print(f"transformers {release['version']}")
    counts: dict[str, Counter[str]] = {"default": Counter(), "random": Counter()}
    for record in records:
        outcome, detail = judge(record, release["source"])
        counts[record["kind"]][outcome] += 1
        counts[record["kind"]]["of them in other words"] += outcome == "both refuse" and bool(detail)
        if detail and (outcome != "cannot be built there" or record["kind"] == "default"):
            words = " ".join(detail.split())[:width]
            print(f"  {record['kind']} {record['model_type']} {record['class']}: {outcome}: {words}")
    return counts


def agreement(counts: Counter[str]) -> tuple[int, int]:
    """(records that agree, records that could be compared)."""
    left_out = counts["cannot be built there"] + counts["of them in other words"]
    return sum(counts[outcome] for outcome in _AGREE), counts.total() - left_out


def make_truth(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    command = [options.python, "-m", "tests.differential.expectation.truth", "--random", str(options.random)]
    command += ["--seed", options.seed, "--only", options.only]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as maker:
        assert maker.stdout is not None
        yield from map(json.loads, maker.stdout)
    if maker.returncode:
        sys.exit(f"{options.python} ended with status {maker.returncode}")


def stored_truth(path: str) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--python", help="interpreter of an environment with torch and the release")
    where.add_argument("--truth", help="instead: what `truth` wrote, gzipped")
    parser.add_argument(
        "--random", type=int, default=1, metavar="N", help="random configurations per target (default 1)"
    )
    parser.add_argument("--seed", default="", help="any text: other random configurations")
    parser.add_argument("--only", default="", help="model types, separated by commas")
    parser.add_argument("--width", type=int, default=200, help="characters of each line about a disagreement")
    options = parser.parse_args()
    worst = 1.0
    records = stored_truth(options.truth) if options.truth else make_truth(options)
    for kind, counts in measure(records, options.width).items():
        agreed, compared = agreement(counts)
        print(f"{kind}: {agreed} of {compared} agree:", ", ".join(f"{n} {what}" for what, n in counts.items() if n))
        worst = min(worst, agreed / compared if compared else 1.0)
    return int(worst < BAR)


if __name__ == "__main__":
    sys.exit(main())
