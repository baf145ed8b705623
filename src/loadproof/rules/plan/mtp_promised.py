"""LP308 mtp-promised: the config announces prediction heads that the file does not hold."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config.lines import where
from loadproof.core.case import Case
from loadproof.core.config import dotted
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import about
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.plans import config_file
from loadproof.rules.evidence.prediction_heads import promised, stored_heads
from loadproof.rules.evidence.wording import plural


def check(case: Case) -> Iterable[Found]:
    found = promised(case)
    if found is None or found[1] < 1 or case.manifest.tensors == 0 or stored_heads(case):
        return
    path, number = found
    headline = f"config.json announces {plural(number, 'prediction head')} (MTP), the file holds none"
    evidence = (
        Evidence(where(case.config, path), f"{dotted(path)} = {number}"),
        Evidence(about("tensors"), "no mtp.* and no layer beyond the depth"),
    )
    fixes = (
        Fix(f"set {dotted(path)} to 0", "lossless", (SetJson(config_file(case), path, 0),)),
        Fix("or take the prediction heads from the base checkpoint; they then belong to the untuned trunk", "manual"),
    )
    note = Note("outcome", "the model itself is complete; engines that draft with these heads fail or accept nothing")
    yield Found(severity="info", confidence="certain", headline=headline, evidence=evidence, fixes=fixes, notes=(note,))


RULE = Rule(
    code="LP308",
    slug="mtp-promised",
    group="plan",
    title="Prediction heads are announced and not stored",
    check=check,
)
