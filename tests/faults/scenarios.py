"""One small checkpoint and one plan per kind of repair."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from loadproof.core.edits import (
    CopyTensor,
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
from loadproof.repair import compiler, plan_edits
from loadproof.repair.plan import Plan
from tests.repair.tiny import Spec, checkpoint, shard_bytes, sharded, tensor

A, B, ONE = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors"
INDEX = "model.safetensors.index.json"
FULL = bool(os.environ.get("LOADPROOF_FAULTS"))  # make faults
LAYERS = tuple(range(40 if FULL else 8))
CONFIG = {"vocab_size": 8, **{f"field_{i}": i * 12345 for i in range(150 if FULL else 3)}}


class Scenario(NamedTuple):
    """`build` writes the checkpoint into a folder, `edits` are what is planned."""

    build: Callable[[Path], None]
    edits: tuple[Edit, ...]


def layers(which: tuple[int, ...], prefix: str = "") -> Spec:
    names = [f"{prefix}model.layers.{i}.mlp.{w}.weight" for i in which for w in ("w1", "w3")]
    return {name: tensor("U8", 9, seed=seed) for seed, name in enumerate(names)}


def one_file(prefix: str = "", metadata: dict[str, str] | None = None, tail: bytes = b"") -> Callable[[Path], None]:
    def build(folder: Path) -> None:
        (folder / "config.json").write_text(json.dumps(CONFIG, indent=2))
        (folder / ONE).write_bytes(shard_bytes(layers(LAYERS, prefix), metadata, spare=256, tail=tail))

    return build


def two_shards(prefix: str = "") -> Callable[[Path], None]:
    return lambda folder: sharded(folder, {A: layers(LAYERS[::2], prefix), B: layers(LAYERS[1::2], prefix)})


def experts(folder: Path) -> None:
    names = [f"experts.{e}.{w}" for e in range(3) for w in ("up", "gate")]
    sharded(folder, {A: {name: tensor("BF16", 3, 2, seed=i) for i, name in enumerate(names)}, B: layers((1,))})


def packed(folder: Path) -> None:
    sharded(folder, {A: {"experts": tensor("BF16", 3, 4, 2)}, B: layers((1,))})


def with_donor(folder: Path) -> None:
    two_shards()(folder)
    donor = folder.parent / (folder.name + "-donor")
    donor.mkdir(exist_ok=True)
    (donor / ONE).write_bytes(shard_bytes({"mtp.w": tensor("U8", 30, seed=3)}))


def with_stale_file(folder: Path) -> None:
    two_shards()(folder)
    (folder / ONE).write_bytes(shard_bytes(layers((0,))))


def broken_index(folder: Path) -> None:
    two_shards()(folder)
    (folder / INDEX).write_text('{"weight_map": {}}')


def no_index(folder: Path) -> None:
    two_shards()(folder)
    (folder / INDEX).unlink()


def two_texts(folder: Path) -> None:
    one_file()(folder)
    (folder / "generation_config.json").write_text('{"eos_token_id": 1}')


def renaming(old: str, new: str, which: tuple[int, ...] = LAYERS) -> RenameTensors:
    name = "model.layers.{{}}.mlp.{}.weight"
    return RenameTensors(
        pairs=tuple((old.format(name.format(w)), new.format(name.format(w)), (which,)) for w in ("w1", "w3"))
    )


SWAP = RenameTensors(
    pairs=tuple(
        (f"model.layers.{{}}.mlp.{a}.weight", f"model.layers.{{}}.mlp.{b}.weight", (LAYERS,))
        for a, b in (("w1", "w3"), ("w3", "w1"))
    )
)
SCENARIOS: dict[str, Scenario] = {
    "exchange names, one file": Scenario(one_file(), (SWAP,)),
    "exchange names, two shards": Scenario(two_shards(), (SWAP, SetJson("config.json", ("vocab_size",), 9))),
    "strip a prefix, two shards": Scenario(two_shards("lm."), (renaming("lm.{}", "{}"),)),
    "longer names, two shards": Scenario(two_shards(), (renaming("{}", "language_model.model.{}"),)),
    "longer names, room inserted": Scenario(one_file(), (renaming("{}", "language_model.model.{}"),)),
    "longer names, room inserted, two shards": Scenario(two_shards(), (renaming("{}", "language_model.model.{}"),)),
    "reshape": Scenario(one_file(), (ReshapeTensors("model.layers.{}.mlp.w1.weight", (LAYERS,), (3, 3)),)),
    "edit one text": Scenario(one_file(), (SetJson("config.json", ("vocab_size",), 9),)),
    "edit two texts": Scenario(
        two_texts, (SetJson("config.json", ("a",), 9), SetJson("generation_config.json", ("eos_token_id",), 2))
    ),
    "rebuild an index": Scenario(broken_index, (RebuildIndex(INDEX, (A, B)),)),
    "make an index": Scenario(no_index, (RebuildIndex(INDEX, (A, B)),)),
    "regenerate a header": Scenario(one_file(), (RegenerateHeader(ONE, {"format": "pt"}),)),
    "cut a tail": Scenario(one_file(tail=b"t" * 1300), (TruncateFile(ONE, 0),)),
    "cut a tail and regenerate": Scenario(
        one_file(tail=b"t" * 700), (TruncateFile(ONE, 0), RegenerateHeader(ONE, {"format": "pt"}))
    ),
    "set aside": Scenario(with_stale_file, (SetAside(ONE),)),
    "drop": Scenario(two_shards(), (DropTensors("model.layers.{}.mlp.w3.weight", (LAYERS,)),)),
    "copy": Scenario(two_shards(), (CopyTensor("model.layers.0.mlp.w1.weight", "lm_head.weight"),)),
    "transpose": Scenario(
        lambda f: sharded(f, {A: {"a": tensor("BF16", 7, 5)}, B: {"b": tensor("F32", 3, 9)}}),
        (TransposeTensors("a", ()), TransposeTensors("b", ())),
    ),
    "stack": Scenario(experts, (StackTensors(("experts.{}.gate", "experts.{}.up"), ((0, 1, 2),), "experts", 1),)),
    "split": Scenario(packed, (SplitTensors("experts", (), ("experts.{}.gate", "experts.{}.up"), 1),)),
    "graft": Scenario(with_donor, (GraftTensors("../m-donor", (("mtp.w", ()),)),)),
}


def planned(name: str, folder: Path) -> Plan:
    """Build the checkpoint of a scenario in `folder` (named ``m``) and plan its edits. Tails are measured."""
    with pytest.MonkeyPatch.context() as patch:  # the same plan on every file system
        patch.setattr(compiler, "block_to_insert", lambda root: 4096 if "room" in name else 0)
        return _planned(name, folder)


def _planned(name: str, folder: Path) -> Plan:
    scenario = SCENARIOS[name]
    folder.mkdir(parents=True, exist_ok=True)
    scenario.build(folder)
    edits = tuple(TruncateFile(ONE, _tensors_end(folder)) if isinstance(e, TruncateFile) else e for e in scenario.edits)
    plan = plan_edits(checkpoint(folder), edits)
    assert not plan.refusals, plan.refusals
    assert plan.steps
    return plan


def _tensors_end(folder: Path) -> int:
    data = (folder / ONE).read_bytes()
    length = int.from_bytes(data[:8], "little")
    entries = json.loads(data[8 : 8 + length])
    return 8 + length + max(entry["data_offsets"][1] for entry in entries.values())
