"""Fixes of tensors where these lie in torch files: no edit changes a pickle, so the tensors are written as safetensors first."""

from __future__ import annotations

from msgspec.structs import replace

from loadproof.core.case import Case
from loadproof.core.edits import (
    CopyTensor,
    DropTensors,
    Fix,
    RenameTensors,
    ReshapeTensors,
    SaveAsSafetensors,
    SplitTensors,
    StackTensors,
    TransposeTensors,
)

_OF_TENSORS = (RenameTensors, ReshapeTensors, DropTensors, CopyTensor, TransposeTensors, StackTensors, SplitTensors)


def on_torch_files(case: Case, fix: Fix) -> Fix:
    """The fix as it can be carried out; as advice, with the reason, where it cannot. Other checkpoints keep theirs."""
    if not fix.edits or not case.manifest.format.startswith("torch"):
        return fix
    fix = _saved_first(case, fix)
    why = _refusal(case, fix)
    return fix if why is None else Fix(f"not offered as a repair: {fix.title} ({why})", "manual")


def _saved_first(case: Case, fix: Fix) -> Fix:
    from loadproof.rules.evidence.torch_files import save_as_safetensors

    is_saved = any(isinstance(edit, SaveAsSafetensors) for edit in fix.edits)
    if is_saved or not any(isinstance(edit, _OF_TENSORS) for edit in fix.edits):
        return fix
    save = save_as_safetensors(case)
    if save is None:
        return fix
    return replace(fix, title=f"{fix.title}, in safetensors files written for it", edits=(*save.edits, *fix.edits))


def _refusal(case: Case, fix: Fix) -> str | None:
    """Why the files do not allow the edits; None where they do, or where there is no folder to ask."""
    from loadproof.repair import plan_edits

    if case.checkpoint is None or case.checkpoint.folder is None:
        return None
    refusals = plan_edits(case.checkpoint, fix.edits).refusals
    return refusals[0].reason if refusals else None
