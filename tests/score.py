"""The scoreboard (`make score`): is the right cause first, how many findings for a fault, any alarm on healthy ones.

    python -m tests.score                        # zoo pages, healthy layouts, default configs of the installed release
    python -m tests.score --handed cases.jsonl   # which cases of such a file have a page in tests/zoo/handed
    python -m tests.score --texts texts.jsonl    # what explain says to pasted error texts
    python -m tests.score --real FOLDER          # folders of real metadata with an expected.json beside them

Exit status 1 when a bar is missed: 95 % right first, three findings for a fault, no alarm on a healthy checkpoint, no
repair whose result is no better.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadproof.api import check
from loadproof.api.better import is_better, merit
from loadproof.api.proof import by_default, outcome_of
from loadproof.core.case import Report
from loadproof.core.edits import Fix
from loadproof.core.findings import Finding
from loadproof.rules import RULES
from tests import zoo
from tests.healthy import default_reports
from tests.rules.case_files import Example, read_pages
from tests.rules.judge import checking_only, complaints, remembered_expectations, report_of
from tests.tracebacks.more_siblings import MORE
from tests.tracebacks.pastes import read_pastes
from tests.tracebacks.score_handed import read_texts, score_texts
from tests.tracebacks.siblings import SIBLINGS
from tests.zoo.quantized_kinds import every_fault, near_misses

HERE = Path(__file__).parent
RIGHT_FIRST, MOST_FINDINGS = 0.95, 3
CODES = {rule.slug: rule.code for rule in RULES}


@dataclass(frozen=True)
class Score:
    """One example: whether the cause came first, and how many findings above an info it drew."""

    page: str
    title: str
    family: str
    right: bool
    loud: int
    told: str


def loud(report: Report) -> list[str]:
    return [finding.slug for finding in report.findings if finding.severity != "info"]


def score(example: Example, folder: Path) -> Score:
    report = report_of(example, folder)
    first = report.findings[0].slug if report.findings else "nothing"
    wanted = example.one("first")
    right = first == wanted if wanted is not None else not complaints(example, report, None)
    family = CODES[wanted][:3] if wanted in CODES else "fine"
    told = "; ".join(complaints(example, report, None)) or f"first is {first}"
    return Score(example.page.stem, example.title, family, right, len(loud(report)), told)


def scores(pages: Path) -> Iterator[Score]:
    for number, example in enumerate(read_pages(pages)):
        if example.kind == "bad" or "silent" in example.expect:
            with tempfile.TemporaryDirectory() as folder:
                yield score(example, Path(folder) / str(number))


def table(title: str, found: list[Score]) -> bool:
    """Print the shares by family; whether the bars are met."""
    print(f"\n{title}")
    groups: dict[str, list[Score]] = defaultdict(list)
    for item in found:
        groups[item.family].append(item)
    for family, items in sorted(groups.items()):
        print(f"  {family:5} {_share(items)}")
    most = max((item.loud for item in found), default=0)
    mean = sum(item.loud for item in found if item.family != "fine") / max(1, sum(i.family != "fine" for i in found))
    print(f"  all   {_share(found)}; findings for one fault: at most {most}, {mean:.2f} on average")
    for item in found:
        if not item.right:
            print(f"    wrong: {item.page}: {item.title}: {item.told}")
    share = sum(item.right for item in found) / max(1, len(found))
    return share >= RIGHT_FIRST and most <= MOST_FINDINGS


def _share(items: list[Score]) -> str:
    right = sum(item.right for item in items)
    return f"{right:4} of {len(items):4} right first ({right / max(1, len(items)):.1%})"


def repairs() -> bool:
    """Carry out in memory every lossless fix that any page offers; whether each leaves something better."""
    offered, worse = 0, []
    for pages in ("zoo/handed", "rules/cases"):
        for example in read_pages(HERE / pages):
            with remembered_expectations(), tempfile.TemporaryDirectory() as folder:
                report = report_of(example, Path(folder))
                for finding in report.findings:
                    for fix in finding.fixes:
                        if fix.safety == "lossless" and fix.edits:
                            offered += 1
                            worse += [] if gains(report, finding, fix) else [f"{example.id}: {finding.code}"]
    print(f"\nlossless repairs carried out in memory: {offered}, of them no better afterwards: {len(worse)}")
    for line in worse:
        print(f"    {line}")
    return not worse


def gains(report: Report, finding: Finding, fix: Fix) -> bool:
    """Alone, or with the repairs of all findings where it is one of several that only help together."""
    plain = outcome_of(report, ())
    whole = [edit for one in report.findings if (default := by_default(one)) for edit in default.edits]
    alone = [] if finding.behind else [outcome_of(report, fix.edits)]
    made = [*alone, *([outcome_of(report, whole)] if len(report.findings) > 1 else [])]
    as_good = finding.severity == "info" and any(merit(one) == merit(plain) for one in alone)
    return as_good or any(is_better(one, plain) for one in made)


def healthy_layouts() -> Iterator[tuple[str, Report]]:
    """Every layout of the zoo as saved, once in one file and once in three shards."""
    for name in zoo.names():
        for shards in (1, 3):
            with tempfile.TemporaryDirectory() as folder:
                made = zoo.build(name).mutate(zoo.shards(shards)) if shards > 1 else zoo.build(name)
                yield f"{name} in {shards}", check(made.write(Path(folder) / "model"), use_cache=False)


def alarms(title: str, reports: Iterator[tuple[str, Report]]) -> bool:
    """Count what is said above an info about checkpoints that are healthy; what cannot be judged is counted apart."""
    verdicts: Counter[str] = Counter()
    raised = []
    for name, report in reports:
        verdicts[report.verdict] += 1
        if report.verdict != "inconclusive" and (loud(report) or report.verdict != "loads" or report.unexplained):
            raised.append(f"{name}: {report.verdict} {loud(report)}")
    shown = ", ".join(f"{number} {verdict}" for verdict, number in verdicts.most_common())
    print(f"\n{title}: {len(raised)} false alarms on {sum(verdicts.values())} ({shown})")
    for line in raised:
        print(f"    {line}")
    return not raised


def quantized_kinds() -> bool:
    """Every kind of fault on every model and method: the share of right first causes; alarms on the healthy ones."""
    found, raised = [], []
    with remembered_expectations(), checking_only():
        for fault in (*every_fault(), *near_misses()):
            with tempfile.TemporaryDirectory() as folder:
                report = check(fault.checkpoint.write(Path(folder) / "model"), use_cache=False)
            first = report.findings[0].slug if report.findings else "nothing"
            if fault.first:
                right = first in fault.first
                found.append(Score(fault.kind, fault.id, "LP6", right, len(loud(report)), f"first is {first}"))
            elif loud(report):
                raised.append(f"{fault.id}: {loud(report)}")
    met = table("kinds of faults of quantized checkpoints", found)
    print(f"  false alarms on healthy ones: {len(raised)}", *raised, sep="\n    ")
    return met and not raised


def covered(file: Path) -> None:
    """Which of the cases that headers and config can tell have a page."""
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    wanted = {row["id"] for row in rows if row["static_detectable"]}
    pages = {page.stem for page in (HERE / "zoo" / "handed").glob("*.md")}
    missing = sorted(wanted - pages)
    print(f"\n{len(wanted & pages)} of {len(wanted)} cases have a page; without one: {' '.join(missing)}")


def real(folder: Path) -> Iterator[tuple[str, Report]]:
    """Those folders that the expert calls healthy, read by names where the weights are not there.

    A single pointer file in place of the weights leaves nothing to judge.
    """
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text())
    for name, answer in sorted(expected.items()):
        pointers = {"lfs-pointer", "lfs-pointers"} & set(answer["causes"])
        if answer["truth"] != "healthy" or (pointers and not any((folder / name).glob("*.index.json"))):
            continue
        given = any((folder / name).glob("*.safetensors")) and not pointers
        yield name, check(folder / name, names_only=not given, use_cache=False)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="tests.score", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--handed", type=Path)
    parser.add_argument("--real", type=Path)
    parser.add_argument(
        "--texts", type=Path, help="pasted error texts, one JSON object a line, the texts beside the file"
    )
    parser.add_argument("--quick", action="store_true", help="leave out the default configs")
    options = parser.parse_args(arguments)
    met = [table("reported failures", list(scores(HERE / "zoo" / "handed")))]
    met.append(table("rule pages", list(scores(HERE / "rules" / "cases"))))
    met.append(repairs())
    met.append(score_texts("pasted error texts", (*SIBLINGS, *MORE)))
    met.append(score_texts("texts of strangers", ((paste.text, paste.accepted or ("",)) for paste in read_pastes())))
    if options.texts:
        met.append(score_texts(options.texts.name, read_texts(options.texts)))
    met.append(alarms("healthy layouts", healthy_layouts()))
    if not options.quick:
        met.append(quantized_kinds())
        met.append(alarms("default configs", default_reports()))
    if options.handed:
        covered(options.handed)
    if options.real:
        met.append(alarms("real checkpoints called healthy", real(options.real)))
    print("\nall bars are met" if all(met) else "\na bar is missed")
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
