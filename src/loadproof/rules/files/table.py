"""The rules about files that need no code of their own: a fault that was recorded while reading, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from loadproof.core.case import Case
from loadproof.core.checkpoint import Problem
from loadproof.core.edits import Fix, RegenerateHeader, TruncateFile
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import download_again, file_findings, save_again
from loadproof.rules.evidence.torch_files import save_as_safetensors

_Fixes = Callable[[list[Problem]], tuple[Fix, ...]]


def _fetch_the_rest(problems: list[Problem]) -> tuple[Fix, ...]:
    file = problems[0].file
    others = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    title = f"fetch the missing bytes of {file}{others}: the download stopped; what is there is intact"
    return (Fix(title, "manual"),)


def _cut_off(problems: list[Problem]) -> tuple[Fix, ...]:
    ends = [(problem.file, problem.offset) for problem in problems if problem.offset is not None]
    edits = tuple(TruncateFile(file, end) for file, end in ends)
    return (Fix("cut the file at the end of its last tensor", "lossless", edits),) if edits else ()


def _save_unpacked(problems: list[Problem]) -> tuple[Fix, ...]:
    return (Fix(f"load {problems[0].file} with torch.load without mmap, and save it again as safetensors", "manual"),)


def _save_tensors_only(problems: list[Problem]) -> tuple[Fix, ...]:
    title = f"where you trust {problems[0].file}: load it with weights_only=False, and save its tensors as safetensors"
    return (Fix(title, "manual"),)


def _torch_row(code: str, slug: str, title: str, what: str, advice: _Fixes) -> Rule:
    """A fault of torch files that leaves the bytes of their tensors alone: they are written anew, where that is all."""

    def check(case: Case) -> Iterable[Found]:
        save = save_as_safetensors(case)
        return file_findings(case, code, what, lambda problems: (save,) if save is not None else advice(problems))

    return Rule(code=code, slug=slug, group="files", title=title, check=check)


def _row(code: str, slug: str, title: str, what: str, fixes: _Fixes, *cured_by: type) -> Rule:
    """A rule that reports the faults of weight files under this code; `what` completes "model.safetensors ..."."""

    def check(case: Case) -> Iterable[Found]:
        return file_findings(case, code, what, fixes)

    return Rule(code=code, slug=slug, group="files", title=title, check=check, cured_by=cured_by)


_ROWS = (
    _row(
        "LP002",
        "not-weights",
        "A file named like weights holds something else",
        "does not hold weights",
        download_again,
    ),
    _row("LP003", "truncated", "A file ends before its last tensor", "ends before its last tensor", _fetch_the_rest),
    _row(
        "LP004",
        "trailing-bytes",
        "A file goes on after its last tensor",
        "goes on after its last tensor",
        _cut_off,
        RegenerateHeader,
        TruncateFile,
    ),
    _row("LP005", "zero-filled", "A file or a tensor is all zeros", "is filled with zeros", download_again),
    _row(
        "LP007",
        "entry-invalid",
        "An entry of the header contradicts itself",
        "has entries that contradict themselves",
        save_again,
        RegenerateHeader,
    ),
    _row(
        "LP008",
        "offsets-invalid",
        "Tensors overlap, leave holes, or point outside the file",
        "has tensors that overlap, leave holes or lie outside the file",
        save_again,
        RegenerateHeader,
    ),
    _row(
        "LP009",
        "duplicate-header-key",
        "One header names a tensor twice",
        "names a tensor twice in its header",
        save_again,
        RegenerateHeader,
    ),
    _torch_row(
        "LP020",
        "compressed-storage",
        "The tensors of a torch file are compressed",
        "holds compressed tensors, which a reader that maps the file takes for numbers",
        _save_unpacked,
    ),
    _torch_row(
        "LP021",
        "pickle-refused",
        "A torch file holds more than weights_only takes",
        "holds what weights_only refuses",
        _save_tensors_only,
    ),
)
RULES = {rule.slug: rule for rule in _ROWS}
