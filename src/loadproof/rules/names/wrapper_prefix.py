"""LP401 wrapper-prefix: a wrapping module left its name in the tensor names."""

from __future__ import annotations

from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.rules.base import Found, Rule, RuleDocs
from loadproof.rules.evidence.prefixes import prefix_findings


def check(case: Case) -> Iterable[Found]:
    yield from prefix_findings(case, RULE.slug)


DOCS = RuleDocs(
    finds=(
        "Parts such as `module.`, `_orig_mod.`, `_fsdp_wrapped_module.`, `_checkpoint_wrapped_module.` or "
        "`base_model.model.` in the stored names, at the front or in the middle, stacked in any order; or any "
        "other extra part that, taken out, makes the names fit."
    ),
    why=(
        "The state dict of the wrapper was saved in place of the model inside it. No reader knows the names: "
        "transformers warns and leaves every such parameter random, and `generate()` still runs."
    ),
    errors=(
        "transformers: a LOAD REPORT of MISSING and UNEXPECTED rows, no exception",
        "vLLM: ValueError: There is no module or parameter named '_orig_mod' in ...",
        "mlx-lm: ValueError: Received 291 parameters not in model",
        "torch: RuntimeError: Error(s) in loading state_dict: Missing key(s) ... Unexpected key(s) ...",
    ),
    example=(
        "`_orig_mod.model.layers.0.self_attn.q_proj.weight` where the model has "
        "`model.layers.0.self_attn.q_proj.weight`."
    ),
    fix=(
        "`loadproof fix` renames the tensors in the headers; no data moves. At the source: save `model.module`, "
        "`model._orig_mod`, or the result of `merge_and_unload()`."
    ),
    harmless="Never in transformers. llama.cpp strips `language_model.`, not these.",
)
RULE = Rule("LP401", "wrapper-prefix", "A wrapping module left its name in the tensor names", check, DOCS)
