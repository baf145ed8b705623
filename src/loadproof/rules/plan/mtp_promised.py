"""LP308 mtp-promised: the config announces prediction heads that the file does not hold."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.config.lines import where
from loadproof.core.case import Case
from loadproof.core.config import dotted
from loadproof.core.edits import Fix, SetJson
from loadproof.core.findings import Evidence, Note
from loadproof.core.places import about
from loadproof.rules.base import Found, Rule, RuleDocs
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


DOCS = RuleDocs(
    finds="`num_nextn_predict_layers` (or `mtp_num_hidden_layers`) above zero, and no prediction head in the file.",
    why=(
        "transformers neither loads nor writes these heads: every save drops them and keeps the count. Engines that "
        "decode speculatively with them look for the tensors."
    ),
    errors=(
        "vLLM: KeyError: 'model.layers.61.eh_proj.weight' when speculative decoding is on",
        "llama.cpp: missing tensor 'blk.61.nextn.eh_proj.weight'; a block too many",
    ),
    example="`num_nextn_predict_layers` 1, the last stored layer is `num_hidden_layers - 1`.",
    fix="Config only: the count is set to 0. Or the heads are taken from the base model.",
    harmless="For transformers always, and for every engine that is not asked to draft with them.",
)
RULE = Rule("LP308", "mtp-promised", "Prediction heads are announced and not stored", check, DOCS)
