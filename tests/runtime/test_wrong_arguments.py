"""What is no model, no tensor and no state dict is refused with a TypeError that says what was expected."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loadproof
from loadproof import LayerPlan
from loadproof.runtime.config_source import model_config

ON_MODELS: dict[str, Callable[[Any], Any]] = {
    "guard": loadproof.guard,
    "diagnose": loadproof.diagnose,
    "sanitize": loadproof.sanitize,
    "ensure_lm_head_2d": loadproof.ensure_lm_head_2d,
    "check_logits_head": loadproof.check_logits_head,
    "HeadSpec.from_model": loadproof.HeadSpec.from_model,
    "HeadSpec.sanitize": loadproof.HeadSpec(4, 2).sanitize,
    "load_checkpoint": lambda model: loadproof.load_checkpoint(model, "."),
}


class Slotted:
    __slots__ = ()


@pytest.mark.torch
@pytest.mark.parametrize("function", ON_MODELS.values(), ids=ON_MODELS)
@pytest.mark.parametrize(
    "given", [None, 5, {"a": 1}, Slotted(), object(), len, dict], ids=lambda given: type(given).__name__
)
def test_what_is_no_model_is_refused(function: Callable[[Any], Any], given: Any) -> None:
    with pytest.raises(TypeError, match=r"not a torch model: .*expected a torch\.nn\.Module"):
        function(given)


@pytest.mark.torch
def test_a_class_of_models_is_no_model() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="not a torch model: the class Linear"):
        loadproof.guard(torch.nn.Linear)
    loadproof.diagnose(torch.nn.Linear(2, 2))


def test_a_path_is_sent_to_check(tmp_path: Path) -> None:
    for path in (tmp_path, str(tmp_path)):
        with pytest.raises(TypeError, match=r"not a torch model: .*loadproof\.check\(path\)"):
            loadproof.diagnose(path)


def test_without_torch_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import loadproof\n"
        "for function in (loadproof.guard, loadproof.diagnose, loadproof.assert_2d):\n"
        "    try: function(None)\n"
        "    except TypeError as error: print(error)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert result.stdout.count("pip install 'loadproof[torch]'") == 3, result.stdout + result.stderr


@pytest.mark.parametrize("given", [None, 5, [[1, 2], [3, 4]]])
def test_what_is_no_tensor_is_refused(given: Any) -> None:
    for function in (loadproof.assert_2d, loadproof.HeadSpec(2, 2).assert_2d):
        with pytest.raises(TypeError, match="not a torch tensor"):
            function(given)


def test_what_is_no_state_dict_is_refused() -> None:
    class Model:
        def state_dict(self) -> dict[str, Any]:
            return {}

    for function in (
        LayerPlan.from_checkpoint,
        loadproof.infer_layer_types_from_checkpoint,
        lambda given: loadproof.map_weights_safe(given, {}),
    ):
        with pytest.raises(
            TypeError, match=r"not a state dict or checkpoint folder: Model; give model\.state_dict\(\)"
        ):
            function(Model())
        with pytest.raises(TypeError, match=r"not a state dict or checkpoint folder: int$"):
            function(5)


def test_what_is_no_config_is_refused() -> None:
    with pytest.raises(TypeError, match="not a config: int"):
        model_config(5)
