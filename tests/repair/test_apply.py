"""Every edit in place: exactly the tensors that it promises, and undo brings every byte back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loadproof.core.edits import (
    CopyTensor,
    DeleteJson,
    DropTensors,
    Edit,
    GraftTensors,
    RebuildIndex,
    RegenerateHeader,
    RenameTensors,
    ReshapeTensors,
    SetAside,
    SetJson,
    SplitTensors,
    StackTensors,
    TransposeTensors,
    TruncateFile,
)
from loadproof.repair import RepairError, apply, apply_to_copy, forget, plan_edits, recover, undo
from tests.repair.tiny import Spec, checkpoint, read_shard, shard_bytes, sharded, snapshot, tensor, visible

A, B = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
INDEX = "model.safetensors.index.json"
LAYERS = (0, 1)


def layer(i: int, prefix: str = "model.") -> Spec:
    name = f"{prefix}layers.{i}.mlp"
    return {f"{name}.w1.weight": tensor("BF16", 4, 6, seed=i), f"{name}.w3.weight": tensor("BF16", 4, 6, seed=9 + i)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    sharded(tmp_path / "m", {A: {"model.embed.weight": tensor("F32", 8, 4), **layer(0)}, B: layer(1)})
    return tmp_path / "m"


def run(folder: Path, *edits: Edit) -> None:
    """Plan, apply; then undo and apply again, which must give the same bytes both ways."""
    before = snapshot(folder)
    plan = plan_edits(checkpoint(folder), edits)
    assert not plan.refusals
    apply(plan)
    after = snapshot(folder)
    undo(str(folder))
    assert snapshot(folder) == before
    apply(plan_edits(checkpoint(folder), edits))
    assert snapshot(folder) == after


def index(folder: Path) -> dict[str, str]:
    return json.loads((folder / INDEX).read_text())["weight_map"]


def total(folder: Path) -> int:
    return json.loads((folder / INDEX).read_text())["metadata"]["total_size"]


SWAP = RenameTensors(
    pairs=(
        ("model.layers.{}.mlp.w1.weight", "model.layers.{}.mlp.w3.weight", (LAYERS,)),
        ("model.layers.{}.mlp.w3.weight", "model.layers.{}.mlp.w1.weight", (LAYERS,)),
    )
)


def test_names_are_exchanged_in_the_headers_alone(folder: Path) -> None:
    old = {**read_shard(folder / A), **read_shard(folder / B)}
    sizes = {p.name: p.stat().st_size for p in folder.iterdir()}
    inode = (folder / A).stat().st_ino
    run(folder, SWAP)
    new = {**read_shard(folder / A), **read_shard(folder / B)}
    assert new["model.layers.1.mlp.w1.weight"] == old["model.layers.1.mlp.w3.weight"]
    assert new["model.layers.0.mlp.w3.weight"] == old["model.layers.0.mlp.w1.weight"]
    assert {p.name: p.stat().st_size for p in folder.iterdir() if "loadproof" not in p.name} == sizes
    assert (folder / A).stat().st_ino == inode


def test_a_prefix_is_stripped_and_the_index_follows_in_its_own_format(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    sharded(folder, {A: layer(0, "base.model."), B: layer(1, "base.model.")})
    text = (folder / INDEX).read_text()
    pairs = tuple(
        (f"base.model.layers.{{}}.mlp.{w}.weight", f"model.layers.{{}}.mlp.{w}.weight", (LAYERS,)) for w in ("w1", "w3")
    )
    run(folder, RenameTensors(pairs=pairs))
    assert (folder / INDEX).read_text() == text.replace("base.model.", "model.")
    assert set(read_shard(folder / B)) == set(layer(1))


def test_longer_names_get_a_new_header_and_the_same_data(folder: Path) -> None:
    old = read_shard(folder / B)
    run(
        folder,
        RenameTensors(pairs=(("model.layers.{}.mlp.w1.weight", "model.language_model." * 9 + "layers.{}.w", ((1,),)),)),
    )
    new = read_shard(folder / B)
    assert new["model.language_model." * 9 + "layers.1.w"] == old["model.layers.1.mlp.w1.weight"]
    assert "model.language_model." * 9 + "layers.1.w" in index(folder)
    forget(str(folder))
    assert [name for name in snapshot(folder) if "loadproof" in name] == []
    with pytest.raises(RepairError, match="no repair to undo"):
        undo(str(folder))


def test_a_flattened_weight_gets_its_shape_back(folder: Path) -> None:
    data = read_shard(folder / A)["model.embed.weight"][2]
    run(folder, ReshapeTensors("model.embed.weight", (), (32,)), ReshapeTensors("model.embed.weight", (), (2, 16)))
    assert read_shard(folder / A)["model.embed.weight"] == ("F32", (2, 16), data)


def test_a_reshape_to_another_element_count_is_refused(folder: Path) -> None:
    plan = plan_edits(checkpoint(folder), [ReshapeTensors("model.embed.weight", (), (33,))])
    assert "32 elements" in plan.refusals[0].reason
    with pytest.raises(RepairError):
        apply(plan)


def test_dropped_tensors_leave_the_file_the_index_and_the_total(folder: Path) -> None:
    kept = read_shard(folder / A)["model.layers.0.mlp.w3.weight"]
    size = total(folder)
    run(folder, DropTensors("model.layers.{}.mlp.w1.weight", ((0,),)))
    assert read_shard(folder / A)["model.layers.0.mlp.w3.weight"] == kept
    assert "model.layers.0.mlp.w1.weight" not in {**index(folder), **read_shard(folder / A)}
    assert total(folder) == size - 48


def test_a_file_that_loses_all_its_tensors_is_set_aside(folder: Path) -> None:
    run(folder, *(DropTensors(f"model.layers.{{}}.mlp.{w}.weight", ((1,),)) for w in ("w1", "w3")))
    assert not (folder / B).exists()
    assert (folder / (B + ".set-aside")).exists()
    assert set(index(folder).values()) == {A}


def test_one_copy_of_a_duplicate_is_dropped_and_the_index_points_to_the_other(folder: Path) -> None:
    extra = {**read_shard(folder / B), "model.embed.weight": tensor("F32", 8, 4, seed=5)}
    (folder / B).write_bytes(shard_bytes(extra, {"format": "pt"}))
    size = total(folder)
    run(folder, DropTensors("model.embed.weight", (), file=A))
    assert index(folder)["model.embed.weight"] == B
    assert total(folder) == size


def test_a_tied_head_is_materialised_in_a_shard_of_its_own(folder: Path) -> None:
    before = {name: data for name, data in visible(folder).items() if name.endswith(".safetensors")}
    size = total(folder)
    run(folder, CopyTensor("model.embed.weight", "lm_head.weight"))
    assert read_shard(folder / index(folder)["lm_head.weight"])["lm_head.weight"] == tensor("F32", 8, 4)
    assert before.items() <= visible(folder).items()
    assert total(folder) == size + 128


def test_a_single_file_takes_the_copy_itself(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(shard_bytes({"e": tensor("F32", 2, 3), "n": tensor("BF16", 3)}))
    run(tmp_path, CopyTensor("e", "lm_head.weight"))
    assert read_shard(tmp_path / "model.safetensors")["lm_head.weight"] == tensor("F32", 2, 3)


def test_tensors_are_transposed(folder: Path) -> None:
    dtype, shape, data = read_shard(folder / B)["model.layers.1.mlp.w1.weight"]
    run(folder, TransposeTensors("model.layers.{}.mlp.w1.weight", (LAYERS,)))
    words = [data[i : i + 2] for i in range(0, len(data), 2)]
    turned = b"".join(words[r * 6 + c] for c in range(6) for r in range(4))
    assert read_shard(folder / B)["model.layers.1.mlp.w1.weight"] == (dtype, shape[::-1], turned)


def experts(names: tuple[str, ...]) -> Spec:
    return {
        f"model.layers.0.experts.{e}.{name}.weight": tensor("BF16", 3, 5, seed=10 * e + i)
        for e in range(3)
        for i, name in enumerate(names)
    }


def test_experts_are_stacked_and_split_again(tmp_path: Path) -> None:
    folder, parts = tmp_path / "m", ("gate", "up")
    sharded(folder, {A: experts(parts), B: layer(1)})
    before = read_shard(folder / A)
    sources = tuple(f"model.layers.{{}}.experts.{{}}.{name}.weight" for name in parts)
    target = "model.layers.{}.experts.gate_up"
    run(folder, StackTensors(sources, ((0,), (0, 1, 2)), target, concat_dim=1))
    packed = read_shard(folder / A)["model.layers.0.experts.gate_up"]
    joined = b"".join(before[f"model.layers.0.experts.{e}.{n}.weight"][2] for e in range(3) for n in parts)
    assert packed == ("BF16", (3, 6, 5), joined)
    assert set(index(folder)) == {"model.layers.0.experts.gate_up", *layer(1)}
    run(folder, SplitTensors(target, ((0,),), sources, concat_dim=1))
    assert read_shard(folder / A) == before


def test_experts_are_joined_at_the_last_dimension_and_split_again(tmp_path: Path) -> None:
    folder, parts = tmp_path / "m", ("gate", "up")
    sharded(folder, {A: experts(parts), B: layer(1)})
    before = read_shard(folder / A)
    sources = tuple(f"model.layers.{{}}.experts.{{}}.{name}.weight" for name in parts)
    run(folder, StackTensors(sources, ((0,), (0, 1, 2)), "model.layers.{}.packed", concat_dim=2))
    dtype, shape, data = read_shard(folder / A)["model.layers.0.packed"]
    first_row = b"".join(before[f"model.layers.0.experts.0.{n}.weight"][2][:10] for n in parts)
    assert (dtype, shape, data[:20]) == ("BF16", (3, 3, 10), first_row)
    run(folder, SplitTensors("model.layers.{}.packed", ((0,),), sources, concat_dim=2))
    assert read_shard(folder / A) == before


def test_tensors_are_grafted_from_a_donor(folder: Path, tmp_path: Path) -> None:
    donor = tmp_path / "donor"
    sharded(donor, {"model.safetensors": {"mtp.0.weight": tensor("BF16", 3, 3, seed=4), "x": tensor("U8", 1)}})
    run(folder, GraftTensors("../donor", (("mtp.{}.weight", ((0,),)),)))
    assert read_shard(folder / index(folder)["mtp.0.weight"]) == {"mtp.0.weight": tensor("BF16", 3, 3, seed=4)}


def test_json_is_edited_in_its_own_format(folder: Path) -> None:
    run(folder, SetJson("config.json", ("vocab_size",), 8), DeleteJson("config.json", ("model_type",)))
    assert (folder / "config.json").read_text() == '{\n  "vocab_size": 8\n}\n'


def test_an_index_is_rebuilt_from_the_headers(folder: Path) -> None:
    good = json.loads((folder / INDEX).read_text())
    (folder / INDEX).write_text("not json")
    run(folder, RebuildIndex(INDEX, (A, B)))
    assert json.loads((folder / INDEX).read_text()) == good


def test_a_lost_index_is_made_anew_and_undo_removes_it(folder: Path) -> None:
    good = json.loads((folder / INDEX).read_text())
    (folder / INDEX).unlink()
    run(folder, RebuildIndex(INDEX, (A, B)))
    assert json.loads((folder / INDEX).read_text()) == good


def test_trailing_bytes_are_cut_off_and_come_back(folder: Path) -> None:
    whole = (folder / B).read_bytes()
    (folder / B).write_bytes(whole + b"tail" * 99)
    run(folder, TruncateFile(B, len(whole)))
    assert (folder / B).read_bytes() == whole


def test_a_cut_into_tensors_is_refused(folder: Path) -> None:
    plan = plan_edits(checkpoint(folder), [TruncateFile(B, (folder / B).stat().st_size - 1)])
    assert "its tensors end at" in plan.refusals[0].reason


def test_format_metadata_and_tail_in_one_plan(tmp_path: Path) -> None:
    spec = {"a": tensor("F32", 3), "b": tensor("U8", 2)}
    clean = shard_bytes(spec, {"format": "pt"})
    (tmp_path / "model.safetensors").write_bytes(shard_bytes(spec, None, spare=40, tail=b"x" * 9))
    size = len(shard_bytes(spec, None, spare=40))
    run(tmp_path, TruncateFile("model.safetensors", size), RegenerateHeader("model.safetensors", {"format": "pt"}))
    assert read_shard(tmp_path / "model.safetensors") == spec
    assert b'{"__metadata__":{"format":"pt"},' in (tmp_path / "model.safetensors").read_bytes()
    assert read_shard(tmp_path / "model.safetensors").keys() == spec.keys()
    assert len(clean) <= size


def test_a_stale_file_is_set_aside(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(shard_bytes({"old": tensor("U8", 3)}))
    run(folder, SetAside("model.safetensors"))
    assert (folder / "model.safetensors.set-aside").exists()
    assert not (folder / "model.safetensors").exists()


def test_repairs_are_undone_one_by_one(folder: Path) -> None:
    states = [snapshot(folder)]
    for value in (1, 2, 3):
        apply(plan_edits(checkpoint(folder), [SetJson("config.json", ("vocab_size",), value)]))
        states.append(snapshot(folder))
    for state in reversed(states[:-1]):
        undo(str(folder))
        assert snapshot(folder) == state


def test_undo_refuses_when_the_file_was_changed_since(folder: Path) -> None:
    apply(plan_edits(checkpoint(folder), [SetJson("config.json", ("vocab_size",), 1)]))
    (folder / "config.json").write_text("{}")
    with pytest.raises(RepairError, match="has changed since"):
        undo(str(folder))
    assert (folder / "config.json").read_text() == "{}"


def test_a_plan_gone_stale_is_refused(folder: Path) -> None:
    plan = plan_edits(checkpoint(folder), [SWAP])
    (folder / A).write_bytes((folder / A).read_bytes().replace(b"embed", b"EMBED"))
    before = snapshot(folder)
    with pytest.raises(RepairError, match="has changed since"):
        apply(plan)
    assert snapshot(folder) == before


def test_a_stream_whose_source_changed_since_is_refused(folder: Path, tmp_path: Path) -> None:
    plan = plan_edits(checkpoint(folder), [DropTensors("model.embed.weight", ())])
    other = shard_bytes({**read_shard(folder / A), "model.new": tensor("U8", 1)})
    (folder / A).write_bytes(other)
    for carry_out in (apply, lambda plan: apply_to_copy(plan, str(tmp_path / "out"))):
        with pytest.raises(RepairError, match="has changed since the plan"):
            carry_out(plan)
    assert (folder / A).read_bytes() == other
    assert not (tmp_path / "out").exists()


def test_nothing_to_do_is_no_error(folder: Path) -> None:
    plan = plan_edits(checkpoint(folder), [SetJson("config.json", ("vocab_size",), 32)])
    assert plan.steps == ()
    assert plan.refusals == ()
    assert apply(plan).files == ()


def test_recover_has_nothing_to_do_on_a_healthy_folder(folder: Path) -> None:
    before = snapshot(folder)
    assert recover(str(folder)) == "nothing"
    assert snapshot(folder) == before


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (RenameTensors(pairs=(("absent", "x", ()),)), "no safetensors file holds absent"),
        (
            RenameTensors(pairs=(("model.embed.weight", "model.layers.0.mlp.w1.weight", ()),)),
            "two tensors would get one",
        ),
        (RenameTensors(pairs=(("model.embed.weight", "model.layers.1.mlp.w1.weight", ()),)), "stored twice"),
        (
            CopyTensor("model.embed.weight", "model.layers.1.mlp.w1.weight"),
            "holds model.layers.1.mlp.w1.weight already",
        ),
        (TransposeTensors("model.embed.weight", (), (0, 2)), "no dimensions"),
        (SetAside("absent"), "there is no absent"),
        (SetJson("absent.json", ("a",), 1), "absent.json"),
        (SetJson("config.json", ("a",), float("nan")), "cannot be written as JSON"),
        (RegenerateHeader("absent.safetensors"), "no such safetensors file"),
        (GraftTensors("absent", (("x", ()),)), "donor"),
        (DropTensors("model.layers.{}.mlp.{}", ((1,), (2,))), "no safetensors file holds"),
        (SplitTensors("model.embed.weight", (), ("a.{}", "b.{}", "c.{}"), 1), "cannot be cut into 3"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(folder: Path, edit: Edit, reason: str) -> None:
    plan = plan_edits(checkpoint(folder), [edit])
    assert plan.steps == ()
    assert reason in plan.refusals[0].reason
