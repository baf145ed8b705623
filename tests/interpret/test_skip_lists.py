"""The shortcut for `should_convert_module` says what the release's function says, and only where the text is the known one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loadproof.interpret import building
from loadproof.interpret.language.errors import LimitReached
from loadproof.interpret.release import skip_lists
from loadproof.interpret.release.disk import on_disk
from loadproof.interpret.release.locate import find_source
from loadproof.interpret.release.world import World
from loadproof.interpret.shapes.namespaces import TORCH

MODULE = "transformers.quantizers.quantizers_utils"
LISTS = (
    None,
    [],
    ["lm_head"],
    ["mlp.gate"],
    ["model.layers.0.mlp.gate", "model.layers.1"],
    ["model.layers.*.self_attn", "embed"],
    ["model.layers.1."],
    ["a|model.layers.0", "lm_head"],
    ["(model).layers"],
    [r"model\.layers\.[01]\.mlp"],
    [""],
)
NAMES = (
    "",
    "lm_head",
    "model",
    "model.layers.0",
    "model.layers.0.mlp.gate",
    "model.layers.0.mlp.gate_proj",
    "model.layers.1.self_attn.q_proj",
    "model.layers.11.self_attn.q_proj",
    "model_layers_0",
    "model.embed",
)


@pytest.mark.torch
@pytest.mark.parametrize("patterns", LISTS, ids=str)
def test_it_answers_as_the_library_does(patterns: list[str] | None) -> None:
    from transformers.quantizers.quantizers_utils import should_convert_module

    root = find_source(None)
    assert root is not None
    world, _ = building.release(root)
    world.begin("")
    function = world.load(MODULE, "should_convert_module")
    assert function is skip_lists._should_convert
    assert [function(name, patterns) for name in NAMES] == [should_convert_module(name, patterns) for name in NAMES]


def test_another_text_is_evaluated_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "quantizers").mkdir()
    text = "def should_convert_module(full_name, patterns=None):\n    return full_name not in patterns\n"
    (tmp_path / "quantizers" / "quantizers_utils.py").write_text(text)
    world = World(on_disk(str(tmp_path), is_trusted=True))
    function = world.load(MODULE, "should_convert_module")
    assert function("a.b", ["a"]) is True
    assert function("a", ["a"]) is False


def test_a_pattern_that_could_run_for_ever_is_refused() -> None:
    with pytest.raises(LimitReached, match="nested repeats"):
        skip_lists._should_convert("a" * 40, ["(a+)+b"])


IGNORED = ([], ["lm_head"], ["Linear"], ["Module"], ["re:.*gate$"], ["re:model"], ["Qwen3MLP", "a.b"])


@pytest.mark.torch
@pytest.mark.parametrize("ignore", IGNORED, ids=str)
@pytest.mark.parametrize("targets", [["Linear"], "Linear", ["re:.*proj"], ["Embedding", "lm_head"]], ids=str)
def test_it_matches_modules_as_compressed_tensors_does(targets: Any, ignore: Any) -> None:
    import torch
    from compressed_tensors.utils.match import is_match

    world, _ = building.release(str(find_source(None)))
    world.begin("")
    function = world.load("compressed_tensors.utils.match", "is_match")
    assert function is skip_lists._is_match
    for name in ("lm_head", "model.layers.0.mlp.gate", "a.b", "x.q_proj"):
        for kind in ("Linear", "Embedding", "LayerNorm"):
            sizes = (4, 4) if kind != "LayerNorm" else (4,)
            ours, real = getattr(TORCH.nn, kind)(*sizes), getattr(torch.nn, kind)(*sizes)
            assert function(name, ours, targets, ignore) == is_match(name, real, targets, ignore)
