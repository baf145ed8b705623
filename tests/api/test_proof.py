"""No fix is called lossless whose result, judged in memory, is not better."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from loadproof.api import check
from loadproof.api.better import is_better, merit
from loadproof.api.edited import CannotTellError, edited
from loadproof.api.edited_tensors import after
from loadproof.api.proof import outcome_of, together, why_not
from loadproof.core.case import Report
from loadproof.core.edits import (
    CopyTensor,
    DeleteJson,
    DropTensors,
    Edit,
    Fix,
    RenameTensors,
    ReshapeTensors,
    SetAside,
    SetJson,
    SplitTensors,
    StackTensors,
    TransposeTensors,
)
from loadproof.core.families import names_of
from loadproof.core.findings import Finding
from loadproof.core.tensors import Family
from tests import zoo

Q = Family("layers.{}.q.weight", ((0, 1, 2),), "F32", (8, 4), ("a",))
E = Family("layers.{}.experts.{}.up.weight", ((0, 1), (0, 1, 2)), "F32", (8, 4), ("a",))


def stored(families: tuple[Family, ...]) -> dict[str, tuple[int, ...] | None]:
    return {name: family.shape for family in families for name in names_of(family.template, family.axes)}


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (RenameTensors((("layers.{}.q.weight", "h.{}.q.weight", ((0, 1, 2),)),)), {f"h.{i}.q.weight" for i in range(3)}),
        (
            RenameTensors((("layers.1.q.weight", "layers.5.q.weight", ()),)),
            {"layers.0.q.weight", "layers.2.q.weight", "layers.5.q.weight"},
        ),
        (RenameTensors((("layers.{}.q.weight", "q.weight", ((2,),)),)), {"layers.0.q.weight", "layers.1.q.weight", "q.weight"}),
        (DropTensors("layers.{}.q.weight", ((1, 2),)), {"layers.0.q.weight"}),
        (CopyTensor("layers.2.q.weight", "head.weight"), {*(f"layers.{i}.q.weight" for i in range(3)), "head.weight"}),
    ],
)  # fmt: skip
def test_names_after_an_edit(edit: Edit, expected: set[str]) -> None:
    assert set(stored(after((Q,), [edit]))) == expected


def test_names_are_exchanged_at_once() -> None:
    families = (replace(Q, axes=((0,),)), replace(Q, axes=((1,),), shape=(9, 9)))
    swap = RenameTensors(
        (("layers.0.q.weight", "layers.1.q.weight", ()), ("layers.1.q.weight", "layers.0.q.weight", ()))
    )
    assert stored(after(families, [swap])) == {"layers.1.q.weight": (8, 4), "layers.0.q.weight": (9, 9)}


def test_shapes_after_an_edit() -> None:
    turned = after((Q,), [TransposeTensors(Q.template, ((1,),))])
    assert stored(turned) == {"layers.0.q.weight": (8, 4), "layers.1.q.weight": (4, 8), "layers.2.q.weight": (8, 4)}
    assert stored(after((Q,), [ReshapeTensors(Q.template, Q.axes, (32,))]))["layers.2.q.weight"] == (32,)
    packed = StackTensors((E.template, E.template.replace("up", "gate")), E.axes, "layers.{}.experts.up", 1)
    both = (E, replace(E, template=E.template.replace("up", "gate")))
    assert stored(after(both, [packed])) == {f"layers.{i}.experts.up": (3, 16, 4) for i in range(2)}
    whole = Family("layers.{}.experts.up", ((0, 1),), "F32", (3, 16, 4))
    cut = SplitTensors(whole.template, whole.axes, (E.template, E.template.replace("up", "gate")), 1)
    assert stored(after((whole,), [cut])) == stored(both)


@pytest.mark.parametrize(
    "edit",
    [
        ReshapeTensors(Q.template, Q.axes, (5, 5)),
        TransposeTensors(Q.template, Q.axes, (0, 2)),
        StackTensors((Q.template,), ((0, 1, 7),), "packed"),
        CopyTensor("nobody.weight", "head.weight"),
    ],
)
def test_an_edit_that_does_not_fit_the_tensors_cannot_be_told(edit: Edit) -> None:
    with pytest.raises(CannotTellError):
        after((Q,), [edit])


def report(folder: Path, layout: str, *mutations: str) -> Report:
    return check(zoo.build(layout).mutate(*map(zoo.mutation, mutations)).write(folder / "model"))


def offered(made: Report) -> list[tuple[str, Fix]]:
    return [(f.code, fix) for f in made.findings for fix in f.fixes if fix.safety == "lossless" and fix.edits]


def test_an_offered_fix_is_better_in_memory(tmp_path: Path) -> None:
    made = report(tmp_path, "llama", 'add_prefix("module.")')
    [(code, fix)] = offered(made)
    assert (code, made.verdict) == ("LP401", "loads-wrong")
    repaired = outcome_of(made, fix.edits)
    assert repaired.verdict == "loads"
    assert is_better(repaired, made)


def _finding(made: Report) -> Finding:
    return replace(made.findings[0], severity="error")


def test_a_fix_that_changes_nothing_is_none(tmp_path: Path) -> None:
    made = report(tmp_path, "llama", 'add_prefix("module.")')
    why = why_not(made, _finding(made), [SetJson("config.json", ("comment",), 1)])
    assert why == "afterwards it still loads wrong"


def test_a_fix_that_leaves_used_tensors_unused_is_none(tmp_path: Path) -> None:
    made = report(tmp_path, "llama", 'add_prefix("module.", "*.layers.0.*")', 'add("extra.weight", "F32", [1])')
    edits = [edit for fix in (f for f in made.findings for f in f.fixes) for edit in fix.edits]
    lossy = [*edits, RenameTensors((("model.norm.weight", "odd.weight", ()),))]
    assert why_not(made, _finding(made), edits) is None
    assert "model.norm.weight" in str(why_not(made, _finding(made), lossy)) or "odd.weight" in str(
        why_not(made, _finding(made), lossy)
    )


def test_what_is_claimed_as_random_must_not_stay_so(tmp_path: Path) -> None:
    made = report(tmp_path, "llama", 'add_prefix("module.", "*.layers.[01].*")')
    [(_, fix)] = offered(made)
    [edit] = fix.edits
    assert isinstance(edit, RenameTensors)
    half = RenameTensors(tuple((old, new, ((0,),)) for old, new, _ in edit.pairs))
    assert why_not(made, made.findings[0], [edit]) is None
    assert "still stays random" in str(why_not(made, made.findings[0], [half]))


def test_an_adapter_beside_the_renamed_weight_forbids_the_rename(tmp_path: Path) -> None:
    renamed = r'rename("q_proj\\.weight", "q_proj.inner.weight")'
    plain = report(tmp_path / "a", "llama", renamed)
    assert [code for code, _ in offered(plain)] == ["LP401"]
    beside = report(
        tmp_path / "b", "llama", renamed, 'add("model.layers.0.self_attn.q_proj.adapter_in", "F32", [48, 2])'
    )
    assert offered(beside) == []
    assert any("adapter_in of the same module would be left out" in x.title for f in beside.findings for x in f.fixes)


STRAY = ('bnb_4bit("*_proj.weight")', 'extra_safetensors("model.safetensors")')


def test_of_two_fixes_for_one_state_the_cause_is_offered_alone(tmp_path: Path) -> None:
    folder = zoo.build("llama").mutate(zoo.mutation("shards(3)")).write(tmp_path / "model")
    stray = zoo.build("llama").mutate(zoo.mutation('bnb_4bit("*_proj.weight")')).write(tmp_path / "stray")
    (folder / "model.safetensors").write_bytes((stray / "model.safetensors").read_bytes())
    made = check(folder)
    assert [finding.code for finding in made.findings][:2] == ["LP108", "LP607"]
    [(code, fix)] = offered(made)
    assert (code, fix.edits) == ("LP108", (SetAside("model.safetensors"),))
    assert outcome_of(made, fix.edits).verdict == "loads"


def test_two_faults_need_both_fixes(tmp_path: Path) -> None:
    made = report(tmp_path, "llama", 'add_prefix("module.")', "shards(3)", 'edit_index("metadata/total_size", 7)')
    wanted = [(f, fix) for f in made.findings for fix in f.fixes if fix.edits]
    assert {finding.code for finding, _ in wanted} == {"LP401", "LP109"}
    assert together(made, wanted) == [None, None]
    assert outcome_of(made, [edit for _, fix in wanted for edit in fix.edits]).findings == ()


def test_an_edit_of_a_file_that_is_not_read_cannot_be_told(tmp_path: Path) -> None:
    made = report(tmp_path, "llama")
    with pytest.raises(CannotTellError):
        edited(made.case, [SetJson("tokenizer.json", ("x",), 1)])
    with pytest.raises(CannotTellError):
        edited(made.case, [DeleteJson("config.json", ("nowhere", 3))])


def test_the_order_of_reports(tmp_path: Path) -> None:
    loads = report(tmp_path / "a", "llama")
    wrong = report(tmp_path / "b", "llama", 'drop("*.q_proj.weight")')
    fewer = report(tmp_path / "c", "llama", 'drop("*.layers.0.*.q_proj.weight")')
    fails = report(tmp_path / "d", "llama", 'transpose("*.k_proj.weight")')
    assert [r.verdict for r in (loads, wrong, fewer, fails)] == ["loads", "loads-wrong", "loads-wrong", "fails"]
    assert sorted((loads, wrong, fewer, fails), key=merit) == [fails, wrong, fewer, loads]
