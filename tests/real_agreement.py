"""Compare names-only checks of a folder of real checkpoints' metadata with the answers that lie beside them.

usage: python -m tests.real_agreement FOLDER [CASE ...]

FOLDER holds one folder per case and `expected.json`: {case: {truth, class, missing, unexpected, mismatched, ...}}.
A count of null there is not compared. Prints one line per case that disagrees; exit status 1 when there is one.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from loadproof.core.checkpoint import Manifest, Selection
from loadproof.core.expectation import Expectation
from loadproof.core.families import count
from loadproof.core.outcome import Outcome, Row
from loadproof.core.reading import Reading
from loadproof.formats import checkpoint_at
from loadproof.readers import get_reader


def judge(folder: str) -> tuple[Selection, Manifest, Expectation | None, Outcome | None]:
    """The stages up to the outcome, names only."""
    reader = get_reader("transformers")
    checkpoint = checkpoint_at(folder)
    config = checkpoint.config
    selection = reader.select(checkpoint, Reading(names_only=True))
    manifest = checkpoint.manifest(selection, names_only=True)
    if config.path is None or not config.raw:
        return selection, manifest, None, None
    expectation = reader.build(checkpoint, Reading(names_only=True))
    return selection, manifest, expectation, reader.load(manifest, expectation, config)


def is_broken(folder: str) -> bool:
    """Whether a check of the folder as it lies finds a file that breaks the load."""
    from loadproof.api import check

    return check(folder).verdict == "fails"


def counted(rows: tuple[Row, ...], kind: str) -> int:
    return sum(count(row.axes) for row in rows if row.kind == kind)


def disagreements(folder: str, answer: dict[str, Any]) -> list[str]:
    """What differs from the answer, one text each."""
    selection, manifest, expectation, outcome = judge(folder)
    found = []
    if (answer["truth"] == "damaged" or "lfs-pointer" in str(answer["here"])) and not is_broken(folder):
        found.append("a broken or absent file is not noticed")
    if expectation is None or outcome is None:
        return found if answer["class"] is None else [*found, "no config here, the answer has a class"]
    if answer["class"] and expectation.class_name != answer["class"]:
        found.append(f"class {expectation.class_name}, the answer says {answer['class']}")
    unknown = expectation.inconclusive or expectation.raises
    if answer["class"] is None:
        remote = expectation.source == "remote-code"
        return (
            found if unknown or remote or outcome.inconclusive else [*found, "no class known, yet an outcome is given"]
        )
    if unknown:
        return [*found, f"no expectation: {unknown}"]
    if not manifest.families:
        return found if answer["missing"] is None else [*found, f"no names read: {selection.error}"]
    for kind in ("missing", "unexpected", "mismatched"):
        number = counted(outcome.rows, kind)
        if answer[kind] is not None and answer[kind] != number:
            found.append(f"{kind} {number}, the answer says {answer[kind]}")
    return found


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = sys.argv[1]
    with open(os.path.join(folder, "expected.json"), encoding="utf-8") as file:
        answers = json.load(file)
    chosen = sys.argv[2:] or sorted(answers)
    bad = 0
    for case in chosen:
        found = disagreements(os.path.join(folder, case), answers[case])
        bad += bool(found)
        if found:
            print(f"{case} ({answers[case]['truth']}): {'; '.join(found)}")
    print(f"{len(chosen) - bad} of {len(chosen)} agree")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
