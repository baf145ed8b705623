"""A class that the user asks for: the parts it does not have are no fault of the checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from loadproof.api import check
from tests import zoo


def told(where: Path, class_name: str, *mutations: Callable[[zoo.Checkpoint], zoo.Checkpoint]) -> list[tuple[str, str]]:
    found = check(zoo.build("llama").mutate(*mutations).write(where), class_name=class_name)
    assert found.verdict == "loads"
    unexplained = [("unexplained", row.template) for row in found.unexplained]
    return [(finding.slug, finding.severity) for finding in found.findings] + unexplained


def test_the_head_beside_a_backbone_is_only_mentioned(tmp_path: Path) -> None:
    assert told(tmp_path, "LlamaModel") == [("wrong-class", "info")]
    assert told(tmp_path / "whole", "LlamaForCausalLM") == []


def test_a_stray_tensor_inside_the_backbone_is_not_taken_for_a_head(tmp_path: Path) -> None:
    stray = zoo.mutation('add("model.layers.0.extra.weight", "BF16", [4])')
    assert ("wrong-class", "info") not in told(tmp_path, "LlamaModel", stray)
