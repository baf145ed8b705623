"""Faults of files (`core.checkpoint.Problem`, recorded while reading) as findings: shared by the LP0 and LP1 rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Fix
from loadproof.core.families import fold
from loadproof.core.findings import Evidence, Note
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE, Place
from loadproof.core.severity import Severity, worst
from loadproof.core.tensors import Family
from loadproof.rules.base import Found
from loadproof.rules.evidence.shards import MOST_GROUPED
from loadproof.rules.evidence.whatif import outcome_with
from loadproof.rules.rows import of_kind, subtract

_COMPLETE = {"LP004"}  # every tensor of the file was read: what is missing was never in it
SHOWN = 4  # lines of evidence per finding; the rest is counted


def faults(case: Case, code: str) -> list[Problem]:
    """Every problem of this code, each once, in the order in which it was found."""
    everything = (*case.inventory.problems, *case.manifest.problems, *case.config.problems)
    return list(dict.fromkeys(problem for problem in everything if problem.code == code))


def files_read(case: Case) -> frozenset[str | None]:
    """What the reader opens: weight files, the index that decided, the config."""
    return frozenset((*case.selection.files, case.selection.entry, case.config.path))


def is_read(case: Case, file: str) -> bool:
    """Whether the reader opens this file. For many files ask `files_read` once."""
    selection = case.selection
    return file in selection.files or file in (selection.entry, case.config.path)


def split_by_use(case: Case, problems: Iterable[Problem]) -> list[list[Problem]]:
    """Problems of files that are read, then those of files that only lie there; empty groups left out."""
    groups: tuple[list[Problem], list[Problem]] = ([], [])
    opened = files_read(case)
    for problem in problems:
        groups[problem.file not in opened].append(problem)
    return [group for group in groups if group]


def severity_of(case: Case, problems: Iterable[Problem]) -> Severity:
    """The worst of them; an info when the reader never opens the file."""
    opened = files_read(case)
    return worst(problem.severity for problem in problems if problem.file in opened)


def evidence_of(problems: list[Problem], shown: int = SHOWN) -> tuple[Evidence, ...]:
    """One line per problem, the rest counted."""
    lines = [Evidence(place(problem), problem.text) for problem in problems[:shown]]
    if len(problems) > shown:
        lines.append(Evidence(NOWHERE, f"and {len(problems) - shown} more", "note"))
    return tuple(lines)


def numbers_of(problem: Problem) -> Evidence:
    """What stands there, for a fault that the headline already tells in words."""
    if problem.found is None:
        return Evidence(place(problem), problem.text)
    if _is_text(problem.file):
        return Evidence(place(problem), f"{problem.expected or 'found'} = {problem.found}")
    expected = f", expected {problem.expected}" if problem.expected else ""
    return Evidence(place(problem), f"{problem.found}{expected}")


def place(problem: Problem) -> Place:
    return Place(problem.file, problem.line, problem.tensor or "", problem.offset)


def notes_of(case: Case, problems: Iterable[Problem]) -> tuple[Note, ...]:
    """What the reader raises over the first of them."""
    said = next(filter(None, map(case.reaction, problems)), None)
    return (Note("reader", said),) if said else ()


def lost_with(case: Case, files: Iterable[str]) -> list[Row]:
    """The rows that stand only because these files cannot be read.

    With an index, its names for these files are put back and the outcome is predicted again; what vanishes was theirs.
    Without one, an unreadable file is the whole checkpoint and every missing parameter was in it. The same is taken
    to hold where the reader's files are all gone and their names are more than any model has.
    """
    gone = set(files)
    rows = list(case.outcome.rows)
    names = [name for index in case.inventory.indexes for name, file in index.weight_map.items() if file in gone]
    alone = bool(gone) and gone >= set(case.selection.files)
    if not names or (alone and len(names) > MOST_GROUPED):
        return of_kind(rows, "missing", "mismatched", "conversion") if alone else []
    return lost_names(case, names)


def file_finding(case: Case, problems: list[Problem], headline: str, fixes: tuple[Fix, ...]) -> Found:
    """One finding for the same fault in one or several files, with the rows that follow from it."""
    severity = severity_of(case, problems)
    lost = [problem.file for problem in problems if problem.code not in _COMPLETE]
    rows = lost_with(case, lost) if severity == "error" else []
    evidence = (numbers_of(problems[0]),) if len(problems) == 1 else evidence_of(problems)
    return Found(
        severity=severity,
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=tuple(rows),
        fixes=fixes,
        notes=notes_of(case, problems),
    )


def file_findings(case: Case, code: str, what: str, fix: Callable[[list[Problem]], tuple[Fix, ...]]) -> Iterable[Found]:
    """The usual shape of an LP0 rule: the files that are read, and those that only lie there as an info of their own.

    `what` completes "model.safetensors ..." ("ends before its last tensor").
    """
    found = [fault for fault in faults(case, code) if not _is_text(fault.file) and fault.detail != "spelling"]
    for group in split_by_use(case, found):
        files = sorted({problem.file for problem in group})
        used = is_read(case, files[0])
        headline = _headline(group, files, what) + ("" if used else " (the reader does not open it)")
        yield file_finding(case, group, headline, fix(group) if used else ())


def _headline(problems: list[Problem], files: list[str], what: str) -> str:
    """One fault in its own words; several as a sum."""
    if len(problems) == 1:
        text = problems[0].text
        if text.startswith("the file "):
            return f"{files[0]} {text.removeprefix('the file ')}"
        return text if files[0] in text else f"{files[0]}: {text}"
    return f"{files[0]} {what}" if len(files) == 1 else f"{len(files)} files, the first is {files[0]}: each {what}"


def _is_text(file: str) -> bool:
    """Configs and templates: what is wrong with them is said in their own words, not as a fault of a weight file."""
    return file.endswith((".json", ".jinja")) and not file.endswith(".index.json")


def text_findings(case: Case, code: str) -> Iterable[Found]:
    """One finding per fault of a JSON file or template beside the weights."""
    for problem in faults(case, code):
        if _is_text(problem.file):
            headline = problem.text if problem.file in problem.text else f"{problem.file}: {problem.text}"
            fixes = restore([problem]) if problem.severity != "info" else ()
            evidence, notes = (numbers_of(problem),), notes_of(case, [problem])
            yield Found(
                severity=problem.severity,
                confidence="certain",
                headline=headline,
                evidence=evidence,
                fixes=fixes,
                notes=notes,
            )


def download_again(problems: list[Problem]) -> tuple[Fix, ...]:
    """The bytes are not here, so no edit can bring them back."""
    names = sorted({problem.file for problem in problems})
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return (Fix(f"download {shown} again; the missing bytes are nowhere in this folder", "manual"),)


def save_again(problems: list[Problem]) -> tuple[Fix, ...]:
    """A malformed header: only the program that wrote it knows what it meant."""
    return (Fix(f"save {problems[0].file} again with a current safetensors release, or download it again", "manual"),)


def lost_names(case: Case, names: Iterable[str]) -> list[Row]:
    """The rows that would not be there if these tensors were stored."""
    held = [Family(template, axes, None, None) for template, axes, _ in fold((name, None) for name in names)]
    outcome = outcome_with(case, (*case.manifest.families, *held)) if held else None
    if outcome is None:
        return []
    return of_kind(subtract(case.outcome.rows, outcome.rows), "missing", "mismatched", "conversion")


def restore(problems: list[Problem]) -> tuple[Fix, ...]:
    """A text file that is wrong as a whole or in one value: its origin knows what stood there."""
    problem = problems[0]
    what = f"{problem.expected} in {problem.file}" if problem.expected and problem.detail != "syntax" else problem.file
    return (Fix(f"restore {what} from the model it came from", "manual"),)
