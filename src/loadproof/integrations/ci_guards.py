"""The write-ups' CI guards as ready-made tests: subclass, give a model or a checkpoint, run pytest.

class TestMyModel(GenerateReadyTests):
    def make_model(self):
        return AutoModelForCausalLM.from_pretrained("out/")

class TestMyCheckpoint(LayerPlanTests):
    checkpoint = "out/"
"""

from __future__ import annotations

from typing import Any

from loadproof.integrations.needs import missing
from loadproof.runtime import HeadFault, HeadSpec, LayerPlan, LayerPlanError, guard
from loadproof.runtime.unwrap import output_head, unwrap, weight_holder

try:
    import pytest
except ImportError:
    raise missing(__name__, "pytest", "pip install pytest") from None


class GenerateReadyTests:
    """2-D passes, 1-D is refused, the sanitizer restores it bit for bit, and generate() refuses a flat head."""

    def make_model(self) -> Any:
        raise NotImplementedError("return a model from make_model()")

    def test_head_is_two_dimensional(self) -> None:
        model = self.make_model()
        HeadSpec.from_model(model).assert_2d(head_weight(model))

    def test_flattened_head_is_refused(self) -> None:
        model = self.make_model()
        spec = HeadSpec.from_model(model)
        with pytest.raises(HeadFault, match="2-D"):
            spec.assert_2d(head_weight(model).detach().reshape(-1))

    def test_sanitizer_restores_the_same_storage(self) -> None:
        model = self.make_model()
        spec, weight = HeadSpec.from_model(model), head_weight(model)
        before, pointer = weight.detach().clone(), weight.data_ptr()
        weight.data = weight.data.view(-1)
        spec.sanitize(model)
        after = head_weight(model)
        assert after.shape == before.shape
        assert after.data_ptr() == pointer
        assert bool((after == before).all())

    def test_generate_refuses_a_flattened_head(self) -> None:
        model = self.make_model()
        with guard(model):
            weight = head_weight(model)
            weight.data = weight.data.view(-1)
            with pytest.raises(HeadFault):
                unwrap(model)[0].generate(None)


class LayerPlanTests:
    """The config's layer plan and the stored tensors agree, and a plan that does not agree is refused readably."""

    checkpoint: str

    def test_config_and_tensors_agree(self) -> None:
        LayerPlan.from_config(self.checkpoint).validate_against_checkpoint(self.checkpoint)

    def test_a_wrong_plan_is_refused_with_every_layer(self) -> None:
        stored = LayerPlan.from_checkpoint(self.checkpoint)
        contrary = frozenset(range(stored.num_layers)) - stored.linear_attn_layers
        with pytest.raises(LayerPlanError):
            LayerPlan(contrary, stored.num_layers).validate_against_checkpoint(self.checkpoint)


def head_weight(model: Any) -> Any:
    """The parameter of the output head, wrappers seen through."""
    return weight_holder(output_head(unwrap(model)[0])).weight
