"""LP001 lfs-pointer: a Git LFS pointer lies where the weights should be."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.places import Place
from loadproof.lexicon.shards import SUFFIXES
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import evidence_of, faults, is_read, lost_with, notes_of


def check(case: Case) -> Iterable[Found]:
    """An error where the content is wanted; an info for weights under --names-only, which does not ask for them."""
    pointers = [file.path for file in case.inventory.files if file.kind == "lfs-pointer"]
    told = {problem.file: problem for problem in faults(case, RULE.code)}
    needed = [file for file in pointers if is_read(case, file) or _is_adapter(case, file)]
    other = [file for file in pointers if file not in needed and file.endswith(SUFFIXES)]
    for files, used in ((needed, True), (other, False)):
        if files:
            yield _finding(case, files, used, [told[file] for file in files if file in told])


def _is_adapter(case: Case, file: str) -> bool:
    """The weights of an adapter folder, which PEFT opens."""
    is_folder = case.selection.entry is None and any(f.path == "adapter_config.json" for f in case.inventory.files)
    return is_folder and file.startswith("adapter_model.")


def _finding(case: Case, files: list[str], used: bool, problems: list[Problem]) -> Found:
    subject = files[0] if len(files) == 1 else f"{len(files)} files ({files[0]} to {files[-1]})"
    verb = "is a Git LFS pointer" if len(files) == 1 else "are Git LFS pointers"
    wanted = used and not (case.manifest.names_only and all(file.endswith(SUFFIXES) for file in files))
    headline = f"{subject} {verb}, not the {'file' if len(files) == 1 else 'files'}" + ("" if used else " (not read)")
    evidence = evidence_of(problems) or (Evidence(Place(files[0]), "version https://git-lfs.github.com/spec/v1"),)
    rows = tuple(lost_with(case, files)) if used else ()
    return Found(
        severity="error" if wanted else "info",
        confidence="certain",
        headline=headline,
        evidence=evidence,
        rows=rows,
        fixes=(_pull(files),),
        notes=notes_of(case, problems),
    )


def _pull(files: list[str]) -> Fix:
    what = files[0] if len(files) == 1 else '"*.safetensors"' if files[0].endswith(".safetensors") else '"*.bin"'
    return Fix(f"git lfs pull --include {what}   (or download the files from the hub)", "manual")


RULE = Rule(
    code="LP001",
    slug="lfs-pointer",
    group="files",
    title="A Git LFS pointer lies where the weights should be",
    check=check,
    needs_content=True,
    never_loads=True,
    absorbs=("LP013", "LP101"),
)
