"""LP016 config-missing: there is no config.json."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import fold, show
from loadproof.core.findings import Evidence
from loadproof.core.places import NOWHERE, about
from loadproof.core.tensors import Family
from loadproof.rules.base import Found, Rule


def check(case: Case) -> Iterable[Found]:
    """Weights without a config; the names alone tell what they probably are."""
    if case.config.path is not None or case.inventory.single_file is not None:
        return
    names = {file.path for file in case.inventory.files}
    if "adapter_config.json" in names:
        headline = "this is a PEFT adapter folder, not a model: adapter_config.json and no config.json"
        fix = Fix("load it with PEFT on top of its base model, or merge it first", "manual")
        yield Found(
            severity="warning",
            confidence="certain",
            headline=headline,
            evidence=(Evidence(about("folder"), "adapter_config.json"),),
            fixes=(fix,),
        )
        return
    families = case.manifest.families or indexed(case)
    guess = family_of(families)
    tail = f"; the names look like {guess}" if guess else ""
    evidence = [Evidence(about("folder"), "no config.json")]
    evidence += [Evidence(NOWHERE, show(family.template, family.axes), "note") for family in families[:2]]
    if any(re.match(r"(h|layers)\.\{\}\.", family.template) for family in families):
        evidence.append(Evidence(NOWHERE, "the names lack the base prefix (model.); transformers adds it", "note"))
    fix = Fix("copy config.json from the model these weights were made from", "manual")
    yield Found(
        severity="warning",
        confidence="certain",
        headline=f"there is no config.json{tail}",
        evidence=tuple(evidence),
        fixes=(fix,),
    )


_LOOKS: tuple[tuple[str, str], ...] = (
    (
        r"(double_blocks|single_blocks|transformer_blocks|single_transformer_blocks)\.",
        "a diffusion transformer (a diffusers component)",
    ),
    (r"layers\.\{\}\.attention\.w[qkvo]\.weight", "the original Llama / Mistral layout"),
    (r"\Ablk\.\{\}\.", "GGUF names"),
    (r"lora_[AB]\.", "a LoRA adapter"),
    (r"layers\.\{\}\.mlp\.experts\.\{\}\.gate_proj", "a mixture of experts of the Qwen or DeepSeek kind"),
    (r"block_sparse_moe\.experts\.\{\}\.w1", "Mixtral"),
    (r"layers\.\{\}\.self_attn\.q_proj\.bias", "Qwen2"),
    (r"layers\.\{\}\.self_attn\.q_norm", "Qwen3 or a relative"),
    (r"layers\.\{\}\.self_attn\.q_proj", "Llama, Mistral or a relative"),
    (r"gpt_neox\.layers\.\{\}\.attention\.query_key_value", "GPT-NeoX"),
    (r"h\.\{\}\.attn\.c_attn", "GPT-2"),
)


def indexed(case: Case) -> tuple[Family, ...]:
    """The names of an index that the reader does not follow (another component, another format)."""
    names = [name for index in case.inventory.indexes for name in index.weight_map]
    return tuple(Family(template, axes, None, None) for template, axes, _ in fold((name, None) for name in names))


def family_of(families: Iterable[Family]) -> str | None:
    """What kind of model has such names, in words; None when nothing is recognised. A hint, never a decision."""
    templates = [family.template for family in families]
    return next((what for pattern, what in _LOOKS if any(re.search(pattern, t) for t in templates)), None)


RULE = Rule(
    code="LP016",
    slug="config-missing",
    group="config",
    title="There is no config.json",
    check=check,
    absorbs=("LP701",),
)
