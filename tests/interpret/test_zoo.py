"""Classes of the installed release that once were said to fail on their default configuration, or lost a part."""

from __future__ import annotations

import pytest

from loadproof.core.config import ModelConfig
from loadproof.interpret import expect

pytest.importorskip("transformers")


@pytest.mark.parametrize(
    "model_type",
    [
        "encoder-decoder",  # tests its configuration's class
        "radio",  # a field's default comes from a module of constants
        "pocket_tts_audio_tokenizer",  # a field that is checked by a function
        "rt_detr",  # its backbone comes from an Auto class of the package
        "sam2",  # arithmetic on numpy's cumulated sums
        "convnext",  # compares stochastic-depth rates
        "ibert",  # uses an autograd function
    ],
)
def test_the_default_configuration_builds(model_type: str) -> None:
    found = expect(ModelConfig("config.json", {"model_type": model_type}), ".", use_cache=False)
    assert (found.raises, found.inconclusive) == (None, None)
    assert found.parameters > 50


def test_a_model_of_an_auto_class_is_a_part() -> None:
    found = expect(ModelConfig("config.json", {"model_type": "colpali"}), ".", use_cache=False)
    assert any(f.template.startswith("vlm.language_model.layers.") for f in found.families)
