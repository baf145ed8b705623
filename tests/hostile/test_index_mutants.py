"""A mutated index never raises here, and breaks there exactly when we say so."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as some

from loadproof.formats import checkpoint_at
from loadproof.readers.transformers.reactions import react
from tests.hostile import index_cases
from tests.hostile.making import Special, one_tensor
from tests.hostile.mutating import mutate
from tests.hostile.selecting import select


def _seeds() -> list[bytes]:
    texts = [case.files[index_cases.INDEX] for case in index_cases.cases()]
    raws = [text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text for text in texts]
    return [raw for raw in raws if not isinstance(raw, Special) and 0 < len(raw) < 2000]


def reads_as_transformers_does(raw: bytes) -> bool:
    """The steps of get_checkpoint_shard_files (transformers 5.24, utils/hub.py:964-977)."""
    try:
        index = json.loads(raw.decode("utf-8"))
        shards = sorted(set(index["weight_map"].values()))
        index["metadata"]["all_checkpoint_keys"] = list(index["weight_map"].keys())
        return bool([os.path.join("folder", shard) for shard in shards])
    except Exception:
        return False


@settings(max_examples=300, deadline=1000)
@given(some.sampled_from(_seeds()), some.randoms(use_true_random=False))
def test_mutants_never_raise_and_the_reaction_is_exact(seed: bytes, random: object) -> None:
    raw = mutate(random, bytes(8) + seed)[8:]  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, index_cases.INDEX).write_bytes(raw)
        for file, name in ((index_cases.S1, "a"), (index_cases.S2, "b")):
            Path(folder, file).write_bytes(one_tensor(name))
        checkpoint = checkpoint_at(folder)
        for names_only in (False, True):
            checkpoint.manifest(select(checkpoint.inventory), names_only)
    problems = [problem for problem in checkpoint.inventory.problems if problem.code in ("LP101", "LP001", "LP002")]
    assert any(map(react, problems)) != reads_as_transformers_does(raw), problems
