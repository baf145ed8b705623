"""Hostile checkpoints: a repair is refused with a reason or is exact; nothing outside the folder is ever touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loadproof.api import NoCheckpointError
from loadproof.api.fixing import RepairError, fix, undo
from loadproof.core.edits import (
    CopyTensor,
    DeleteJson,
    DropTensors,
    Edit,
    GraftTensors,
    RebuildIndex,
    RegenerateHeader,
    RenameTensors,
    SetAside,
    SetJson,
    SplitTensors,
    StackTensors,
    TransposeTensors,
    TruncateFile,
)
from loadproof.repair import plan_edits
from tests.hostile import index_cases, safetensors_cases, unread_cases
from tests.hostile.making import Case
from tests.repair.tiny import checkpoint

CASES = [*safetensors_cases.cases(), *index_cases.cases(), *unread_cases.cases()]


def contents(folder: Path) -> dict[str, bytes | str]:
    """Every regular file and link below a folder; links are not followed."""
    found: dict[str, bytes | str] = {}
    for where, folders, names in os.walk(folder):
        for path in (Path(where, name) for name in [*names, *folders]):
            if path.is_symlink():
                found[str(path.relative_to(folder))] = os.readlink(path)
            elif path.is_file():
                found[str(path.relative_to(folder))] = path.read_bytes()
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_fix_is_refused_or_undone_exactly(case: Case, tmp_path: Path) -> None:
    root = case.write(tmp_path)
    before = contents(tmp_path)
    try:
        report = fix(str(root), apply=True, unsafe=True, use_cache=False, readers_stopped=True)
    except (RepairError, NoCheckpointError):
        assert contents(tmp_path) == before
        return
    if report.applied is not None and report.applied.files:
        folder = root if root.is_dir() else root.parent
        changed = {name for name, data in contents(tmp_path).items() if before.get(name) != data}
        assert all((tmp_path / name).is_relative_to(folder) for name in changed)
        undo(str(root))
    assert contents(tmp_path) == before


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_any_edit_gets_a_plan_or_a_reason(case: Case, tmp_path: Path) -> None:
    root = case.write(tmp_path)
    folder = root if root.is_dir() else root.parent
    before = contents(tmp_path)
    found = checkpoint(folder)
    shards = tuple(info.path for info in found.inventory.files if info.path.endswith(".safetensors"))
    edits: list[Edit] = [
        RebuildIndex("model.safetensors.index.json", shards),
        RenameTensors(pairs=(("a", "b", ()), ("c.{}", "d", ((1, 2),)))),
        RenameTensors(pairs=(("a", "b", ()),)),
        DropTensors("a", ()),
        CopyTensor("a", "b"),
        TransposeTensors("a", ()),
        StackTensors(("a.{}",), ((0,),), "z"),
        SplitTensors("a", (), ("x.{}",)),
        GraftTensors(str(folder), (("a", ()),)),
        *(SetJson(info.path, ("a", "b"), 1) for info in found.inventory.files if info.path.endswith(".json")),
        *(DeleteJson(info.path, ("vocab_size",)) for info in found.inventory.files if info.path.endswith(".json")),
    ]
    for file in shards:
        edits += [RegenerateHeader(file, {"format": "pt"}), TruncateFile(file, 50), SetAside(file)]
    for edit in edits:
        plan = plan_edits(found, [edit])
        assert bool(plan.refusals) <= (plan.steps == ())
    assert contents(tmp_path) == before
