"""LP001 lfs-pointer: a Git LFS pointer lies where the weights should be."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loadproof.rules.base import Rule, RuleDocs
from loadproof.rules.faults import faults, file_finding, split_by_use
from loadproof.types import Case, Finding, Fix


def check(case: Case) -> Iterable[Finding]:
    """An error where the weights are wanted; a remark under --names-only, which does not ask for them."""
    problems = faults(case, "LP001")
    for group in split_by_use(case, problems):
        files = sorted({problem.file for problem in group})
        subject = files[0] if len(files) == 1 else f"{len(files)} files ({files[0]} to {files[-1]})"
        verb = "is a Git LFS pointer" if len(files) == 1 else "are Git LFS pointers"
        headline = f"{subject} {verb}: the text of about 130 bytes that stands for a file, not the file"
        finding = file_finding(case, "LP001", "lfs-pointer", group, headline, (_pull(files),))
        if case.manifest.names_only and not files[0].endswith(".json"):
            finding = replace(finding, severity="info", rows=())
        yield finding


def _pull(files: list[str]) -> Fix:
    what = files[0] if len(files) == 1 else '"*.safetensors"' if files[0].endswith(".safetensors") else '"*.bin"'
    return Fix(f"git lfs pull --include {what}   (or download the files from the hub)", "manual")


DOCS = RuleDocs(
    finds=(
        "A file that holds only the three lines `version https://git-lfs.github.com/spec/v1`, `oid sha256:...`, "
        "`size ...`."
    ),
    why=(
        "The repository was cloned without git-lfs, or without `git lfs pull`. The pointer is not a weight "
        "file; nothing can be read from it."
    ),
    errors=(
        "transformers: SafetensorError: Error while deserializing header: header too large",
        "torch: UnpicklingError: invalid load key, 'v'",
        "llama.cpp convert: ValueError: not a safetensors file",
    ),
    example="model-00001-of-00002.safetensors has 135 bytes; its `size` line says 4,976,698,672.",
    fix="`git lfs pull`. The pointer holds the checksum and the size, so the result can be verified.",
    harmless=("With `--names-only`, where the names are judged from the index and the weights are not wanted yet."),
)
RULE = Rule("LP001", "lfs-pointer", "A Git LFS pointer lies where the weights should be", check, DOCS)
