"""LP305 layer-plan-default: no plan is stated, and the default of the class is not what the file holds."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config.access import text_config_path
from loadproof.config.plan.reading import stated_plans
from loadproof.config.plan.spellings import LISTS
from loadproof.core.case import Case
from loadproof.core.config import dotted
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence, Note
from loadproof.core.layer_letters import letters
from loadproof.core.places import about
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.layer_mismatch import differing_layers, plan_findings
from loadproof.rules.evidence.plans import config_file
from loadproof.rules.evidence.whatif_config import outcome_if


def check(case: Case) -> Iterable[Found]:
    found = differing_layers(case)
    if found is not None and not found[0].given:
        yield from plan_findings(case, found)
    elif found is None and case.expectation.raises is not None:
        yield from _refused(case)


def _refused(case: Case) -> Iterable[Found]:
    """A default of fixed length that does not fit this depth: the class refuses its own default."""
    stored = case.tensor_plan
    if stored is None or len(set(stored.words)) < 2 or None in stored.words or stated_plans(case.config):
        return
    for name in LISTS:
        path = (*text_config_path(case.config), name)
        edits = (SetJson(config_file(case), path, list(stored.words)),)
        outcome = outcome_if(case, edits)
        if outcome is not None and not outcome.rows:
            headline = f"{dotted(path)} is not stated, and the default of the class does not fit the depth"
            evidence = (Evidence(about("tensors"), letters(stored), "layers"),)
            fix = Fix(f"write {dotted(path)} as the tensors show it", "lossless", edits)
            notes = (Note("outcome", case.expectation.raises or ""),)
            yield Found(
                severity="error", confidence="certain", headline=headline, evidence=evidence, fixes=(fix,), notes=notes
            )
            return


RULE = Rule(
    code="LP305",
    slug="layer-plan-default",
    group="plan",
    title="No layer plan is stated and the default does not fit",
    check=check,
)
