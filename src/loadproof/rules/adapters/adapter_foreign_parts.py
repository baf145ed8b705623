"""LP806 adapter-foreign-parts: the adapter holds what another tool writes, or matrices that no adapter has."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loadproof.core.case import Case
from loadproof.core.edits import Fix
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import Place, in_files
from loadproof.lexicon import adapters
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.adapters import effect
from loadproof.rules.evidence.wording import plural, row_evidence
from loadproof.rules.rows import count_rows, of_kind

_MLX = "convert it: lora_a and lora_b lie transposed, which no renaming can change; or fuse it with mlx_lm.fuse"
_KOHYA = "convert it with the tool that reads kohya's files; `alpha` is a scale that belongs into adapter_config.json"
_VLLM = re.compile(r"\.lora_(?:A|B)\.weight\Z|\.lora_embedding_[AB]\Z")
# What the names of another tool look like, and what to do: kohya's sd-scripts, mlx_lm, diffusers.
_TOOLS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("kohya's scripts", re.compile(r"^lora_(?:unet|te\d?)_|lora_(?:down|up)\.|\.alpha\Z"), _KOHYA),
    ("mlx_lm", re.compile(r"\.lora_[ab]\Z"), _MLX),
    ("diffusers", re.compile(r"\.lora\.(?:down|up)\.|^(?:unet|text_encoder|transformer)\."), "load it with diffusers"),
)


def check(case: Case) -> Iterable[Found]:
    """Stored tensors of which the library makes nothing, by the tool that writes such names."""
    yield from _of_folder(case)
    yield from _unlike_vllm(case)
    unused = of_kind(case.outcome.rows, "unexpected")
    for tool, pattern, advice in _TOOLS:
        rows = [row for row in unused if pattern.search(row.template)]
        if rows:
            yield _of_tool(case, tool, rows, advice)
            return
    whole = [row for row in unused if re.search(r"\.(?:weight|bias)\Z", row.template) and "lora_" not in row.template]
    if whole and len(whole) == len(unused):
        yield Found(
            severity="error",
            confidence="certain",
            headline=f"{_matrices(count_rows(whole))} in the adapter reach{'es' if count_rows(whole) == 1 else ''} nothing",
            evidence=row_evidence(whole),
            rows=tuple(whole),
            fixes=(Fix("list its modules in modules_to_save where they were trained, or leave it out", "manual"),),
            notes=effect(case),
        )


def _of_folder(case: Case) -> Iterable[Found]:
    """A file under the name of another tool, where PEFT finds none of its own."""
    there = [file.path for file in case.inventory.files if file.path in adapters.FILES]
    if case.selection.entry is not None or not there:
        return
    tool = adapters.FILES[there[0]]
    advice = next(text for name, _, text in _TOOLS if name == tool)
    yield Found(
        severity="error",
        confidence="certain",
        headline=f"this is an adapter of {tool}: PEFT looks for adapter_model.safetensors, and {there[0]} lies here",
        evidence=(Evidence(Place(there[0]), f"so {tool} names it"),),
        fixes=(Fix(advice, "manual"),),
    )


def _unlike_vllm(case: Case) -> Iterable[Found]:
    """Names of a whole adapter that vLLM's LoRA loader refuses (vllm/lora/utils.py, `parse_fine_tuned_lora_name` of 0.33)."""
    families = [f for f in case.manifest.families if not _VLLM.search(f.template)]
    if case.config.raw.get("peft_type") != "LORA" or case.outcome.raises or case.outcome.rows or not families:
        return
    number = sum(count(family.axes) for family in families)
    shown = tuple(Evidence(in_files(f.files), show(f.template, f.axes)) for f in families[:3])
    yield Found(
        severity="info",
        confidence="certain",
        headline=f"{plural(number, 'tensor')} load in PEFT, and vLLM's LoRA loader refuses them",
        evidence=shown,
        fixes=(Fix("for vLLM merge the adapter into its base, and serve that", "manual"),),
    )


def _matrices(number: int) -> str:
    return "1 whole matrix" if number == 1 else f"{number:,} whole matrices"


def _of_tool(case: Case, tool: str, rows: list[Row], advice: str) -> Found:
    return Found(
        severity="error",
        confidence="certain",
        headline=f"{plural(count_rows(rows), 'tensor')} carry the names of {tool}, of which PEFT makes nothing",
        evidence=row_evidence(rows),
        rows=case.outcome.rows,
        fixes=(Fix(advice, "manual"),),
        notes=effect(case),
    )


RULE = Rule(
    code="LP806",
    slug="adapter-foreign-parts",
    group="adapters",
    title="The adapter holds parts that no adapter of PEFT has",
    check=check,
)
