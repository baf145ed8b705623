"""LP101 index-invalid: the shard index cannot be used."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.edits import Fix, RebuildIndex
from loadproof.core.outcome import Row
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.file_faults import faults, file_finding, split_by_use
from loadproof.rules.evidence.shards import numbered_set
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    """An index that is not JSON, has no weight_map, maps nothing, or lacks what the reader asks of it."""
    for group in split_by_use(case, faults(case, RULE.code)):
        headline = f"{group[0].file}: {group[0].text}"
        finding = file_finding(case, group, headline, _fix(case, group[0].file))
        yield replace(finding, rows=_everything(case, finding))


def _everything(case: Case, finding: Found) -> tuple[Row, ...]:
    """Without a usable index nothing is read, so nothing else explains a missing parameter."""
    blind = finding.severity == "error" and not case.manifest.families
    return tuple(of_kind(case.outcome.rows, "missing")) if blind else finding.rows


def _fix(case: Case, index: str) -> tuple[Fix, ...]:
    shards = numbered_set(case, index)
    if not shards:
        return (Fix(f"download {index} again", "manual"),)
    title = f"rebuild {index} from the headers of the {len(shards)} shards"
    return (Fix(title, "lossless", (RebuildIndex(index, shards),)),)


RULE = Rule(
    code="LP101",
    slug="index-invalid",
    group="index",
    title="The shard index cannot be used",
    check=check,
    absorbs=("LP103",),
)
