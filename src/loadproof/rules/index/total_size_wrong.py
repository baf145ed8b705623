"""LP109 total-size-wrong: the size in the index is not the size of the tensors."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from loadproof.config import text_config, value_of
from loadproof.core.case import Case
from loadproof.core.edits import Fix, SetJson
from loadproof.core.families import count
from loadproof.core.findings import Evidence
from loadproof.core.places import Place
from loadproof.core.severity import Severity
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import evidence_of, faults
from loadproof.rules.evidence.shards import deciding_index


def check(case: Case) -> Iterable[Found]:
    """A warning for a number that contradicts the headers; an info where it is zero or only the names are known."""
    problem = next(iter(faults(case, RULE.code)), None)
    if problem is None:
        yield from _by_arithmetic(case)
        return
    plain = case.manifest.names_only or problem.detail in ("zero", "absent", "float") or problem.found in ("0", None)
    severity: Severity = "info" if plain else problem.severity
    yield _finding(severity, problem.file, problem.text, evidence_of([problem]), case.manifest.bytes)


def _finding(severity: Severity, file: str, text: str, evidence: tuple[Evidence, ...], size: int = 0) -> Found:
    edits = (SetJson(file, ("metadata", "total_size"), size),) if size else ()
    fixes = (Fix("write the sum of the tensors' sizes into metadata.total_size", "lossless", edits),) if edits else ()
    return Found(severity=severity, confidence="certain", headline=f"{file}: {text}", evidence=evidence, fixes=fixes)


def _by_arithmetic(case: Case) -> Iterable[Found]:
    """With names alone the expected shapes and the stated size still tell: 2 or 4 bytes a number, or what is odd."""
    index = deciding_index(case)
    if not case.manifest.names_only or index is None or not index.weight_map:
        return
    if case.outcome.rows or case.outcome.ignored:
        return
    if index.total_size == 0:
        text = f"total_size is 0, the index names {len(index.weight_map):,} tensors"
        yield _finding("info", index.path, text, (Evidence(Place(index.path), "total_size = 0"),))
    numbers = _expected_numbers(case)
    if not index.total_size or not numbers or index.total_size % numbers == 0 or _is_quantized(case):
        return
    said = f"total_size {index.total_size:,} for {numbers:,} numbers of the expected shapes"
    text = f"{said}: {_explain(case, index.total_size, numbers)}"
    yield _finding("info", index.path, text, (Evidence(Place(index.path), f"total_size = {index.total_size}"),))


def _is_quantized(case: Case) -> bool:
    """Whether a quantizer mixes the dtypes, and stores numbers beside those of the parameters."""
    return bool(case.outcome.quantized) or case.expectation.quantizer is not None


def _expected_numbers(case: Case) -> int:
    """Elements of the parameters that stored tensors fill; ties and ignored names are not stored."""
    tied = {filled for filled, _ in case.outcome.tied}
    reached = {found.target for found in case.outcome.assignments}
    families = [family for family in case.expectation.families if family.template in reached - tied]
    return sum(prod(family.shape) * count(family.axes) for family in families)


def _explain(case: Case, size: int, numbers: int) -> str:
    hidden = value_of(text_config(case.config), "hidden_size")
    for width in (2, 4):
        rest = size - width * numbers
        if isinstance(hidden, int) and hidden > 0 and rest > 0 and rest % (width * hidden) == 0 and rest * 50 < size:
            rows = rest // (width * hidden)
            return f"{rows:,} rows of {hidden} more than the config says"
    return f"{size / numbers:.3f} bytes each, so the types are mixed or a size differs"


RULE = Rule(
    code="LP109",
    slug="total-size-wrong",
    group="index",
    title="The size in the index is not the size of the tensors",
    check=check,
)
