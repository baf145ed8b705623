"""What the manifest says of tiny checkpoints, healthy and damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loadproof.core.checkpoint import Selection
from loadproof.core.tensors import Duplicate
from loadproof.formats import checkpoint_at
from loadproof.readers.transformers.reactions import react
from tests.formats.tiny import INDEX, read, read_all, shard, write_shards
from tests.hostile.making import LFS_POINTER, data, entry, one_tensor, st
from tests.hostile.selecting import select

LAYERS = {f"model.layers.{i}.up.weight": [4, 2] for i in range(6)}
FILES = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]


def two_shards(folder: Path, **index: object) -> Path:
    names = list(LAYERS)
    parts = {FILES[0]: names[:3], FILES[1]: names[3:]}
    return write_shards(folder, {file: {name: LAYERS[name] for name in part} for file, part in parts.items()}, **index)


def test_one_file_gives_families_with_shapes_and_its_metadata(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(shard(LAYERS | {"lm_head.weight": [8, 2]}, made="here"))
    manifest = read(tmp_path)
    assert [(f.template, f.axes, f.dtype, f.shape) for f in manifest.families] == [
        ("model.layers.{}.up.weight", (tuple(range(6)),), "BF16", (4, 2)),
        ("lm_head.weight", (), "BF16", (8, 2)),
    ]
    assert (manifest.tensors, manifest.bytes, manifest.problems) == (7, 6 * 16 + 32, ())
    assert manifest.metadata == {"model.safetensors": {"format": "pt", "made": "here"}}
    assert [(info.path, info.kind) for info in manifest.files] == [("model.safetensors", "safetensors")]


def test_families_reach_over_shards_and_name_their_files(tmp_path: Path) -> None:
    manifest = read(two_shards(tmp_path))
    assert [(f.template, f.axes, f.files) for f in manifest.families] == [
        ("model.layers.{}.up.weight", (tuple(range(6)),), tuple(FILES))
    ]
    assert manifest.problems == ()


def test_a_family_names_only_the_files_that_hold_its_members(tmp_path: Path) -> None:
    shards = {FILES[0]: {"l.0.w1": [2], "l.1.w1": [2]}, FILES[1]: {"l.0.w3": [2], "l.1.w3": [2]}}
    families = read(write_shards(tmp_path, shards)).families
    assert {f.template: f.files for f in families} == {"l.{}.w1": (FILES[0],), "l.{}.w3": (FILES[1],)}


def test_names_only_takes_absent_shards_and_pointers_from_the_index(tmp_path: Path) -> None:
    two_shards(tmp_path)
    (tmp_path / FILES[1]).write_bytes(LFS_POINTER)
    manifest = read(tmp_path, names_only=True)
    assert {(f.axes, f.dtype, f.shape) for f in manifest.families} == {
        (((0, 1, 2),), "BF16", (4, 2)),
        (((3, 4, 5),), None, None),
    }
    assert (manifest.tensors, manifest.problems, manifest.names_only) == (6, (), True)
    assert [skip.what for skip in manifest.skipped] == [FILES[1]]


def test_without_names_only_an_absent_shard_and_a_pointer_are_faults(tmp_path: Path) -> None:
    two_shards(tmp_path)
    (tmp_path / FILES[0]).unlink()
    (tmp_path / FILES[1]).write_bytes(LFS_POINTER)
    _, manifest, problems = read_all(tmp_path)
    said = react(problems["LP102"])
    assert said is not None
    assert said.startswith("FileNotFoundError: No such file or directory: ")
    assert problems["LP001"].expected == "4976698672 bytes"
    assert set(problems) == {"LP001", "LP102"}
    assert manifest.families == ()


def test_names_only_reads_the_index_of_torch_shards(tmp_path: Path) -> None:
    two_shards(tmp_path)
    (tmp_path / INDEX).rename(tmp_path / "pytorch_model.bin.index.json")
    for file in FILES:
        (tmp_path / file).unlink()
    checkpoint = checkpoint_at(str(tmp_path))
    selection = Selection("pytorch_model.bin.index.json", tuple(FILES), "torch-sharded")
    manifest = checkpoint.manifest(selection, names_only=True)
    assert (manifest.tensors, manifest.problems, manifest.families[0].shape) == (6, (), None)


def test_a_name_in_two_files_is_kept_from_the_later_one(tmp_path: Path) -> None:
    shards = {FILES[0]: {"a.0.w": [2], "a.1.w": [2]}, FILES[1]: {"a.1.w": [3], "a.2.w": [2]}}
    _, manifest, problems = read_all(write_shards(tmp_path, shards))
    assert manifest.duplicates == (Duplicate("a.1.w", tuple(FILES)),)
    assert {(f.axes, f.shape, f.files) for f in manifest.families} == {
        (((0, 2),), (2,), tuple(FILES)),
        (((1,),), (3,), (FILES[1],)),
    }
    assert manifest.tensors == 3
    assert react(problems["LP107"]) is None


def test_wrong_ghost_and_missing_keys_are_told_apart(tmp_path: Path) -> None:
    names = list(LAYERS)
    weight_map = dict.fromkeys(names[:3], FILES[0]) | dict.fromkeys(names[3:], FILES[1])
    weight_map |= {names[0]: FILES[1], "ghost.weight": FILES[0]}
    del weight_map[names[5]]
    _, _, problems = read_all(two_shards(tmp_path, weight_map=weight_map))
    assert set(problems) == {"LP104", "LP105", "LP106"}
    assert (problems["LP106"].tensor, problems["LP106"].expected, problems["LP106"].found) == (
        names[0],
        FILES[1],
        FILES[0],
    )
    assert problems["LP104"].tensor == "ghost.weight"
    assert (problems["LP105"].tensor, problems["LP105"].severity) == (names[5], "warning")


def test_a_total_size_that_is_off_is_a_warning_and_never_breaks(tmp_path: Path) -> None:
    _, _, problems = read_all(two_shards(tmp_path, metadata={"total_size": 97}))
    assert {(p.code, p.severity, react(p)) for p in problems.values()} == {("LP109", "warning", None)}


def test_a_weight_map_without_metadata_breaks_with_a_bare_key_error(tmp_path: Path) -> None:
    two_shards(tmp_path)
    (tmp_path / INDEX).write_text('{"weight_map": {"model.layers.0.up.weight": "%s"}}' % FILES[0])  # noqa: UP031
    _, _, problems = read_all(tmp_path)
    assert react(problems["LP101"]) == "KeyError: 'metadata'"


def test_consolidated_weights_beside_shards_are_left_alone(tmp_path: Path) -> None:
    two_shards(tmp_path)
    (tmp_path / "consolidated-00001-of-00002.safetensors").write_bytes(one_tensor("tok_embeddings.weight"))
    (tmp_path / "consolidated.safetensors").write_bytes(one_tensor("norm.weight"))
    assert read(tmp_path).problems == ()


def test_a_truncated_file_still_gives_its_names(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(shard(LAYERS)[:-7])
    _, manifest, problems = read_all(tmp_path)
    assert manifest.tensors == 6
    assert problems["LP003"].text == "the file is 7 bytes shorter than its header says"


def test_zero_data_is_suspicious_only_throughout(tmp_path: Path) -> None:
    body = bytearray(64 * 1024)
    (tmp_path / "model.safetensors").write_bytes(st({"w": entry("U8", [len(body)], 0, len(body))}, bytes(body)))
    assert [p.code for p in read(tmp_path).problems] == ["LP005"]
    body[-1] = 1
    (tmp_path / "model.safetensors").write_bytes(st({"w": entry("U8", [len(body)], 0, len(body))}, bytes(body)))
    assert read(tmp_path).problems == ()


@pytest.mark.parametrize(("size", "codes"), [(4_096, []), (65_536, ["LP005"])])
def test_a_small_shard_of_zeros_holds_fresh_biases_and_a_large_one_lost_its_data(
    tmp_path: Path, size: int, codes: list[str]
) -> None:
    two_shards(tmp_path)
    (tmp_path / FILES[1]).write_bytes(st({"model.layers.4.up.bias": entry("U8", [size], 0, size)}, bytes(size)))
    assert [p.code for p in read(tmp_path).problems if p.code == "LP005"] == codes


def test_a_single_file_may_be_named_instead_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "other.safetensors").write_bytes(shard(LAYERS))
    checkpoint = checkpoint_at(str(tmp_path / "other.safetensors"))
    assert checkpoint.inventory.single_file == "other.safetensors"
    assert read(tmp_path / "other.safetensors").tensors == 6


def test_records_and_payloads_are_found_by_name(tmp_path: Path) -> None:
    two_shards(tmp_path)
    checkpoint = checkpoint_at(str(tmp_path))
    wanted = ["model.layers.1.up.weight", "model.layers.4.up.weight", "absent"]
    records = checkpoint.records(FILES, wanted)
    assert set(records) == set(wanted[:2])
    record = records["model.layers.4.up.weight"]
    assert (record.file, record.shape, record.dtype, record.end - record.begin) == (FILES[1], (4, 2), "BF16", 16)
    whole = (tmp_path / FILES[1]).read_bytes()[record.begin : record.end]
    assert checkpoint.payload(record) == whole
    assert checkpoint.payload(record, 3, 5) == whole[3:8]
    assert checkpoint.payload(record, 10, 100) == whole[10:]


def test_unusual_but_healthy_files_are_silent(tmp_path: Path) -> None:
    body = {"__metadata__": {"format": "mlx"}, "a/b:c@1": entry("I8", [0, 3], 0, 0), "x": entry("F32", [], 0, 4)}
    (tmp_path / "model.safetensors").write_bytes(st(body, data(4)))
    assert read(tmp_path).problems == ()


def test_an_entry_with_a_fault_is_no_ghost_of_the_index(tmp_path: Path) -> None:
    two_shards(tmp_path)
    blob = (tmp_path / FILES[1]).read_bytes().replace(b'"BF16"', b'"BF61"', 1)
    (tmp_path / FILES[1]).write_bytes(blob)
    _, manifest, problems = read_all(tmp_path)
    assert set(problems) == {"LP007"}
    assert manifest.tensors == 5


def test_names_of_an_absent_shard_that_lie_in_another_are_taken_from_there(tmp_path: Path) -> None:
    weight_map = dict.fromkeys(LAYERS, FILES[0])
    two_shards(tmp_path, weight_map=weight_map | {"lm_head.weight": FILES[1]})
    (tmp_path / FILES[0]).unlink()
    _, manifest, problems = read_all(tmp_path, names_only=True)
    assert "LP107" not in problems
    assert (manifest.tensors, manifest.duplicates) == (6, ())


def test_shards_of_a_variant_are_not_the_index_s_business(tmp_path: Path) -> None:
    two_shards(tmp_path)
    for name in ("model-00001-of-00002.fp16.safetensors", "model.fp16-00001-of-00002.safetensors"):
        (tmp_path / name).write_bytes(one_tensor("model.layers.0.up.weight"))
    assert read(tmp_path).problems == ()


def test_a_file_of_the_hub_cache_without_a_suffix_is_read_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "0123abcd").write_bytes(shard(LAYERS))
    manifest = read(tmp_path / "0123abcd")
    assert (manifest.tensors, manifest.problems) == (6, ())


def write_index(folder: Path, weight_map: dict[str, str]) -> None:
    (folder / INDEX).write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))


def test_a_linked_file_that_is_not_followed_counts_as_unread_not_as_absent(tmp_path: Path) -> None:
    (tmp_path / "away.safetensors").write_bytes(shard(LAYERS))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "model.safetensors").symlink_to("../away.safetensors")
    checkpoint = checkpoint_at(str(folder), follow_links=False)
    manifest = checkpoint.manifest(select(checkpoint.inventory))
    assert (manifest.unread, manifest.families) == (("model.safetensors",), ())
    assert read(folder).tensors > 0


def test_a_path_with_dots_counts_as_the_file_it_names(tmp_path: Path) -> None:
    write_shards(tmp_path, {"a.safetensors": {"x": [1]}, "b.safetensors": {"y": [2]}})
    write_index(tmp_path, {"x": "./a.safetensors", "y": ".//b.safetensors"})
    inventory, manifest, problems = read_all(tmp_path)
    assert {problem.severity for problem in problems.values()} == {"info"}
    assert all(file.path in inventory.indexes[0].weight_map.values() for file in manifest.files)


def test_of_two_spellings_of_one_file_the_later_one_decides_the_order(tmp_path: Path) -> None:
    write_shards(tmp_path, {"a.safetensors": {"x": [1]}, "b.safetensors": {"x": [2]}})
    names = {"x": "./b.safetensors", "y": "a.safetensors"}
    write_index(tmp_path, names)
    assert checkpoint_at(str(tmp_path)).inventory.indexes[0].shards == ("b.safetensors", "a.safetensors")
    write_index(tmp_path, names | {"z": "b.safetensors"})
    assert checkpoint_at(str(tmp_path)).inventory.indexes[0].shards == ("a.safetensors", "b.safetensors")


def test_a_shard_below_a_sub_folder_is_a_file_of_the_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.safetensors").write_bytes(shard({"x": [1]}))
    write_index(tmp_path, {"x": "sub/a.safetensors", "y": "sub/gone.safetensors", "z": "gone/a.safetensors"})
    assert [info.path for info in checkpoint_at(str(tmp_path)).inventory.files] == [INDEX, "sub/a.safetensors"]
