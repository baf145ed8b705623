"""LP507 fsdp1-local-view: one rank's one-dimensional slices of an FSDP1 flat parameter were saved."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import NOWHERE
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.flat_matrices import is_flat
from loadproof.rules.evidence.rank_slices import Slice, fsdp1_unit, looks_cut
from loadproof.rules.evidence.wording import plural, row_evidence
from loadproof.rules.rows import of_kind


def check(case: Case) -> Iterable[Found]:
    proof = fsdp1_unit(case)
    if proof is None:
        yield from _unsolved(looks_cut(case))
        return
    rows = [row for row in of_kind(case.outcome.rows, "mismatched") if row.found is not None and len(row.found) == 1]
    if all(is_flat(row) for row in rows):
        return  # whole matrices, only flat: nothing is lost (LP201, LP202, LP504)
    headline = f"the tensors are the slices that {_who(proof)} held of an FSDP1 flat parameter"
    evidence = (*row_evidence(rows), Evidence(NOWHERE, _arithmetic(proof), "note"))
    fixes = (Fix(_advice(rows), "manual"),)
    yield Found(
        severity="error", confidence="certain", headline=headline, evidence=evidence, rows=tuple(rows), fixes=fixes
    )


def _unsolved(rows: list[Row]) -> Iterable[Found]:
    """Parts beside empty tensors: no other cause leaves both, even where the unit is not one that is tried."""
    if rows:
        headline = "the tensors are one rank's slices of an FSDP1 flat parameter (rank and group size are not solved)"
        note = Evidence(
            NOWHERE, "parts of matrices in one dimension beside empty tensors; placeholders would all be empty", "note"
        )
        evidence = (*row_evidence(rows), note)
        fixes = (Fix(_advice(rows), "manual"),)
        yield Found(
            severity="error", confidence="likely", headline=headline, evidence=evidence, rows=tuple(rows), fixes=fixes
        )


def _who(proof: Slice) -> str:
    ranks = " or ".join(map(str, proof.ranks[:3])) + (" or another" if len(proof.ranks) > 3 else "")
    return f"rank {ranks} of {proof.world}"


def _arithmetic(proof: Slice) -> str:
    names = " + ".join(proof.names) if len(proof.names) <= 4 else plural(len(proof.names), "parameter")
    return f"ceil(({names} = {proof.total:,}) / {proof.world}) = {proof.chunk:,}, all lengths fit {_who(proof)}"


def _advice(rows: list[Row]) -> str:
    whole = [row.stored or row.template for row in rows if is_flat(row)]
    text = "gather before saving (FULL_STATE_DICT, summon_full_params); the other ranks' parts are not in this file"
    return text + (f"; only {whole[0]} is whole and could be given its shape back" if whole else "")


RULE = Rule(
    code="LP507",
    slug="fsdp1-local-view",
    group="shapes",
    title="One rank's FSDP1 slices were saved",
    check=check,
)
