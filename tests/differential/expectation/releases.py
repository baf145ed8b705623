"""How often the expectation is right for another release: `python -m tests.differential.expectation.releases --python PYTHON`.

PYTHON is the interpreter of an environment that holds torch and the release to measure. It builds every causal and
conditional-generation class on the meta device (`truth`), with the default configuration and with random ones; here the
same release's source is read, and every disagreement is printed. What the other environment cannot import for want of a
package is counted apart. Exit status 1 when less than 99 % agree.
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

from loadproof.types import Expectation
from tests.differential.expectation.read import differing, read

BAR = 0.99
_AGREE = ("equal", "both refuse")
_NEEDS_PACKAGE = ("ImportError", "ModuleNotFoundError")


def judge(record: dict[str, Any], source: str) -> tuple[str, str]:
    """(outcome, detail) of one record of the truth."""
    if record.get("error", ("",))[0] in _NEEDS_PACKAGE:
        return "needs a package", record["error"][1][:120]
    found = read(record["class"], record["raw"], source)
    if "error" in record:
        return _judge_refused(record["error"], found)
    if found.inconclusive is not None:
        return "inconclusive", found.inconclusive
    if found.raises is not None:
        return "only we refuse", found.raises
    parts = differing(record["facts"], found)
    return ("different", ", ".join(parts)) if parts else ("equal", "")


def _judge_refused(error: list[str], found: Expectation) -> tuple[str, str]:
    said = ": ".join(error)
    if found.inconclusive is not None:
        return "inconclusive", f"{found.inconclusive} (the library: {said})"
    if found.raises is None:
        return "only the library refuses", said
    return "both refuse", "" if found.raises[:100] == said[:100] else f"library: {said}\n      ours: {found.raises}"


def measure(records: Iterable[dict[str, Any]], shown: int) -> dict[str, Counter[str]]:
    """Outcomes counted per kind of configuration; prints those that need a look."""
    records = iter(records)
    release = next(records)
    print(f"transformers {release['version']} in {release['source']}")
    counts: dict[str, Counter[str]] = {"default": Counter(), "random": Counter()}
    for record in records:
        outcome, detail = judge(record, release["source"])
        counts[record["kind"]][outcome] += 1
        if outcome not in _AGREE:
            print(f"  {record['kind']} {record['model_type']} {record['class']}: {outcome}: {detail[:shown]}")
        elif detail:
            counts[record["kind"]]["in other words"] += 1
            if shown > 300:
                print(f"  {record['kind']} {record['model_type']} {record['class']}: other words: {detail[:shown]}")
    return counts


def agreement(counts: Counter[str]) -> tuple[int, int]:
    """(records that agree, records that could be compared)."""
    agreed = sum(counts[outcome] for outcome in _AGREE)
    left_out = counts["needs a package"] + counts["in other words"]
    return agreed, sum(counts.values()) - left_out


def make_truth(python: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    command = [python, "-m", "tests.differential.expectation.truth", "--random", str(options.random)]
    with subprocess.Popen([*command, "--only", options.only], stdout=subprocess.PIPE, text=True) as maker:
        assert maker.stdout is not None
        yield from map(json.loads, maker.stdout)
    if maker.returncode:
        sys.exit(f"{python} ended with status {maker.returncode}")


def stored_truth(path: str) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--python", help="interpreter of an environment with torch and the release")
    where.add_argument("--truth", help="what `truth` wrote, gzipped, instead")
    parser.add_argument(
        "--random", type=int, default=1, metavar="N", help="random configurations per target (default 1)"
    )
    parser.add_argument("--only", default="", help="model types, separated by commas")
    parser.add_argument("--verbose", action="store_true", help="whole texts, and refusals in other words too")
    options = parser.parse_args()
    records = stored_truth(options.truth) if options.truth else make_truth(options.python, options)
    worst = 1.0
    for kind, counts in measure(records, 2_000 if options.verbose else 300).items():
        agreed, compared = agreement(counts)
        print(f"{kind}: {agreed} of {compared} agree;", ", ".join(f"{n} {what}" for what, n in counts.most_common()))
        worst = min(worst, agreed / compared if compared else 1.0)
    return int(worst < BAR)


if __name__ == "__main__":
    sys.exit(main())
