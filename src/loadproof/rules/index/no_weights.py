"""LP112 no-weights: there is no file that the reader would open."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RebuildIndex
from loadproof.core.findings import Evidence, Note
from loadproof.core.known_names import SAFE_INDEX, WEIGHTS
from loadproof.core.places import Place, about
from loadproof.lexicon.foreign_files import FOREIGN, Foreign
from loadproof.lexicon.shards import PARTIAL_SUFFIX, SUFFIXES, numbered
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import faults
from loadproof.rules.evidence.shards import absent_numbers, listed, numbered_set
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    """Nothing under the names the reader looks for; what lies there instead is named."""
    names = {file.path for file in case.inventory.files}
    if case.selection.entry is not None or case.selection.files or "adapter_config.json" in names:
        return
    if case.selection.inconclusive or any(problem.file in WEIGHTS for problem in faults(case, "LP114")):
        return  # not known, or told as a dangling link
    files = [file for file in case.inventory.files if file.path.endswith((*_WEIGHTS, ".index.json"))]
    others = [file.path for file in files if file.kind != "special"]
    there = f"; it holds {listed(others)}" if others else ""
    headline = f"no model.safetensors, no pytorch_model.bin and no index of them in the folder{there}"
    known = _foreign(case)
    evidence = [Evidence(Place(file), one.what) for one, file in known[:3]]
    notes = (Note("reader", case.selection.error),) if case.selection.error else ()
    rows = tuple(of_kind(case.outcome.rows, "missing"))
    fix, fact = _way_out(case, others, known)
    evidence += [Evidence(about("folder"), fact)] if fact else []
    evidence[:0] = [
        Evidence(Place(problem.file), problem.text)
        for problem in faults(case, "LP110")
        if problem.file in WEIGHTS and problem.file not in others
    ]
    yield Found(
        severity="error",
        confidence="certain",
        headline=headline,
        evidence=tuple(evidence),
        rows=rows,
        fixes=(fix,),
        notes=notes,
    )


def _foreign(case: Case) -> list[tuple[Foreign, str]]:
    """What lies there in forms that the reader does not open, each with the first file that says so."""
    names = sorted(file.path for file in case.inventory.files)
    found: dict[str, tuple[Foreign, str]] = {}
    for name in names:
        kind = next((one for one in FOREIGN if one.sign.search(name)), None)
        if kind is not None:
            found.setdefault(kind.what, (kind, name))
    for kind in FOREIGN:
        if kind.probe and case.look_up(kind.probe) is not None:
            found.setdefault(kind.what, (kind, kind.probe))
    return sorted(found.values(), key=lambda pair: FOREIGN.index(pair[0]))


def _way_out(case: Case, others: list[str], known: list[tuple[Foreign, str]]) -> tuple[Fix, str]:
    """What to do, and the fact about the folder that says so where there is one."""
    if shards := numbered_set(case, SAFE_INDEX):
        title = f"write {SAFE_INDEX} from the headers of the {len(shards)} shards"
        return Fix(title, "lossless", (RebuildIndex(SAFE_INDEX, shards),)), ""
    if found := _absent_shards(others) or _rename(others):
        return Fix(found[1], "manual"), found[0]
    if known:
        kind, file = known[0]
        folder = shlex.quote(case.inventory.location)
        return Fix(kind.way.replace("{folder}", folder).replace("{file}", file), "manual"), ""
    return Fix("convert the weights, or download them", "manual"), ""


def _absent_shards(files: list[str]) -> tuple[str, str] | None:
    """What of one numbered set is not there, and what to do; None where no such set lies there."""
    shards = [found for file in files if (found := numbered(file))]
    totals = {(found["stem"], int(found["total"])) for found in shards}
    if len(totals) != 1:
        return None
    ((_, total),) = totals
    there = {int(found["number"]) for found in shards}
    absent = [str(number) for number in absent_numbers(there, total)]
    if not absent:
        return None
    fact = f"shard {listed(absent)} of {total} and the index are not there"
    return fact, f"download shard {listed(absent)} of {total} and the index"


def _rename(files: list[str]) -> tuple[str, str] | None:
    """The one safetensors file under a name that no reader looks for; None where it is not the only weight file."""
    if len(files) != 1 or not files[0].endswith(".safetensors") or _KNOWN.match(files[0]):
        return None
    fact = f"{files[0]} is the only weight file; the reader looks for model.safetensors"
    return fact, f"if it holds the whole model, rename it: mv {shlex.quote(files[0])} model.safetensors"


_KNOWN = re.compile(r"consolidated|adapter_model|diffusion_pytorch_model|model_world_size|.*-of-\d{5}\.")
_WEIGHTS = (*SUFFIXES, PARTIAL_SUFFIX)


RULE = Rule(
    code="LP112",
    slug="no-weights",
    group="index",
    title="There is no file that the reader would open",
    check=check,
)
