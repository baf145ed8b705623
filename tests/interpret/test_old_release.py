"""How a release in the style of 4.57 is read; its real ones are compared by `tests.differential.expectation.releases`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.interpret import expect
from tests.interpret import old_release


@pytest.fixture
def source(tmp_path: Path) -> str:
    return old_release.write(tmp_path)


def read(source: str, **raw: Any) -> Expectation:
    return expect(ModelConfig("config.json", {"model_type": "old-seer", **raw}), ".", source=source, use_cache=False)


def test_a_retired_model_is_found_in_its_folder(source: str) -> None:
    found = read(source)
    assert (found.inconclusive, found.raises, found.version) == (None, None, "4.99.0")
    assert {f.template: f.shape for f in found.families} == dict.fromkeys(
        ("embed.weight", "copy.weight", "head.weight"), (3, 4)
    )


def test_only_what_tie_weights_ties_is_tied_where_models_are_made_empty(source: str) -> None:
    assert read(source).ties == (("head.weight", "embed.weight"),)
    assert read(source, tie_word_embeddings=False).ties == ()


def test_what_a_constructor_shares_stays_shared_where_models_are_not_made_empty(source: str) -> None:
    path = Path(source, "modeling_utils.py")
    path.write_text(path.read_text().replace("get_init_context", "other"))
    assert read(source).ties == (("copy.weight", "embed.weight"), ("head.weight", "embed.weight"))


def test_the_key_mapping_of_the_class_is_a_rule(source: str) -> None:
    assert [(r.kind, r.sources, r.targets) for r in read(source).private.rules] == [("KeyMapping", ("^old",), ("new",))]


@pytest.mark.parametrize(("beams", "refused"), [(1, True), (4, False)])
def test_generation_parameters_that_contradict_each_other_are_refused(source: str, beams: int, refused: bool) -> None:
    found = read(source, num_return_sequences=2, num_beams=beams)
    assert found.raises == ("ValueError: got 2 for 1 beams" if refused else None)
