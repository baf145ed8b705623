"""LP404 peft-dump: a PEFT model was saved whole, adapters and all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.edits import DropTensors, Edit, Fix, RenameTensors
from loadproof.core.families import count, show
from loadproof.core.findings import Evidence
from loadproof.core.outcome import Row
from loadproof.core.places import in_files
from loadproof.core.tensors import Family
from loadproof.lexicon import adapters
from loadproof.rules.base import Found, Rule
from loadproof.rules.evidence.peft_names import ADAPTER, BASE, unwrapped
from loadproof.rules.evidence.renamings import find_rewrite
from loadproof.rules.evidence.whatif import outcome_with, renamed
from loadproof.rules.rows import count_rows, subtract

Change = Callable[[str], str]
_MLX = re.compile(adapters.MLX)


def check(case: Case) -> Iterable[Found]:
    """LoRA pairs or `base_layer` beside the weights they belong to, in a file that is read as a model."""
    families = case.manifest.families
    magnitudes = {
        _MLX.sub(adapters.MLX_MAGNITUDE, family.template) for family in families if _MLX.search(family.template)
    }
    extra = [family for family in families if ADAPTER.search(family.template) or family.template in magnitudes]
    inner = tuple(_MLX.sub(".linear.", family.template) for family in extra if _MLX.search(family.template))
    wrapped = [f for f in families if BASE.search(f.template) or (inner and f.template.startswith(inner))]
    layered = [family for family in (*wrapped, *extra) if family.axes or "lora_" in family.template]
    if not layered or (not wrapped and len(extra) == len(families)):
        return  # a head alone in modules_to_save is LP209's, a file of adapters alone is an adapter
    adapter = {family.template for family in extra}
    kept = [family for family in families if family.template not in adapter]
    rows, change = _explained(case, kept, inner)
    rows += [row for row in case.outcome.rows if row.kind == "unexpected" and (row.stored or row.template) in adapter]
    pairs = sum(count(family.axes) for family in extra)
    what = "LoRA layers of mlx_lm saved without fusing" if inner else "a PEFT model saved without merging"
    headline = f"{what}: {pairs:,} adapter tensors among {case.manifest.tensors:,}"
    shown = [*wrapped[:2], *extra[:2]]
    evidence = tuple(Evidence(in_files(family.files[:2], 2), show(family.template, family.axes)) for family in shown)
    fixes = _fixes(change, extra, kept, bool(inner))
    yield Found(
        severity="error", confidence="certain", headline=headline, evidence=evidence, rows=tuple(rows), fixes=fixes
    )


def _explained(case: Case, kept: list[Family], inner: tuple[str, ...]) -> tuple[list[Row], Change | None]:
    """Rows that go once the wrapping is taken out of the names, and the change of names that finds most of the base."""
    unwrap = partial(unwrapped, inner=inner)
    families = renamed(kept, unwrap)
    outcome = outcome_with(case, families)
    if outcome is None:
        return [], None
    proof = find_rewrite(replace(case, manifest=replace(case.manifest, families=families), outcome=outcome))
    left = outcome.rows if proof is None else tuple(subtract(outcome.rows, proof.rows))
    helps = 2 * count_rows(left, "missing") <= count_rows(case.outcome.rows, "missing")
    change = unwrap if proof is None else lambda name: proof.change(unwrap(name))
    return subtract(case.outcome.rows, left), change if helps else None


def _fixes(change: Change | None, extra: list[Family], kept: list[Family], is_mlx: bool) -> tuple[Fix, ...]:
    merge = Fix("load it with PEFT, call merge_and_unload() and save the result", "manual")
    if is_mlx:
        merge = Fix("fuse it where it was trained (mlx_lm.fuse) and save the result", "manual")
    names = ((family, change(family.template)) for family in kept) if change is not None else ()
    pairs = tuple((family.template, new, family.axes) for family, new in names if new != family.template)
    if not pairs or any(old.count("{}") != new.count("{}") for old, new, _ in pairs):
        return (merge,)
    edits: tuple[Edit, ...] = (*(DropTensors(f.template, f.axes) for f in extra), RenameTensors(pairs))
    loss = f"the training: {sum(count(family.axes) for family in extra):,} adapter tensors are left out"
    return merge, Fix("keep the base model alone", "lossy", edits, loss)


RULE = Rule(
    code="LP404",
    slug="peft-dump",
    group="names",
    title="A PEFT model was saved whole, adapters and all",
    check=check,
    absorbs=("LP401",),
)
