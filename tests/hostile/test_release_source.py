"""A release named with `--source` may be anybody's: it is read in a process of its own, the installed one in this."""

from __future__ import annotations

import json
import resource
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from loadproof.api import check
from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.interpret import evaluation, expect
from loadproof.interpret.release.locate import find_source
from loadproof.interpret.symbols import with_symbols
from tests.cli.process import run
from tests.hostile.making import one_tensor
from tests.hostile.source_cases import COUNTED, ESCAPES, RUNAWAY

CONFIG = {"model_type": "evil", "architectures": ["EvilForCausalLM"], "hidden_size": 4}
_CONFIGURATION = """
from ...configuration_utils import PretrainedConfig


class EvilConfig(PretrainedConfig):
    model_type = "evil"

    def __init__(self, hidden_size=4, **kwargs):
        super().__init__(**kwargs)
        self.hidden_size = hidden_size
"""
_MODELING = """
import torch
from torch import nn
from ...modeling_utils import PreTrainedModel
from .configuration_evil import EvilConfig


class EvilForCausalLM(PreTrainedModel):
    config_class = EvilConfig

    def __init__(self, config):
        super().__init__(config)
{body}
        self.proj = nn.Linear(config.hidden_size, 4)
"""
_FILES = {
    "__init__.py": '__version__ = "5.0.0"\n',
    "configuration_utils.py": (
        "class PretrainedConfig:\n    model_type = ''\n    attribute_map = {}\n    sub_configs = {}\n\n"
        "    def __init__(self, **kwargs):\n        for key, value in kwargs.items():\n            setattr(self, key, value)\n"
    ),
    "modeling_utils.py": (
        "class PreTrainedModel:\n    config_class = None\n    base_model_prefix = ''\n\n"
        "    def get_expanded_tied_weights_keys(self, all_submodels=False):\n        return {}\n"
    ),
    "models/__init__.py": "",
    "models/evil/__init__.py": "",
    "models/evil/configuration_evil.py": _CONFIGURATION,
    "models/auto/__init__.py": "",
    "models/auto/configuration_auto.py": 'CONFIG_MAPPING_NAMES = {"evil": "EvilConfig"}\n',
    "models/auto/modeling_auto.py": 'MODEL_FOR_CAUSAL_LM_MAPPING_NAMES = {"evil": "EvilForCausalLM"}\n',
}


def release(root: Path, body: str = "pass") -> Path:
    """A release with one class, whose constructor runs `body`."""
    indented = "\n".join(" " * 8 + line for line in body.splitlines())
    for name, text in {**_FILES, "models/evil/modeling_evil.py": _MODELING.format(body=indented)}.items():
        path = root / "transformers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def read(root: Path) -> Expectation:
    return expect(ModelConfig("config.json", CONFIG), ".", source=str(root), use_cache=False)


def test_the_answer_is_the_one_of_this_process(tmp_path: Path) -> None:
    root = release(tmp_path)
    found = read(root)
    assert (found.class_name, found.parameters) == ("EvilForCausalLM", 2)
    here = expect(ModelConfig("config.json", CONFIG), ".", source=str(root), use_cache=False, is_trusted=True)
    assert replace(found, wall=None) == here


def test_formulas_come_from_that_process_as_well(tmp_path: Path) -> None:
    found = with_symbols(read(release(tmp_path)), ModelConfig("config.json", CONFIG), str(tmp_path))
    assert {family.template: family.symbols for family in found.families}["proj.weight"] == ("4", "hidden_size")


def test_nothing_of_a_foreign_release_is_evaluated_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "_evaluate", lambda *_: pytest.fail("evaluated here"))
    assert read(release(tmp_path)).parameters == 2


def test_the_installed_release_needs_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: pytest.fail("a process for the installed release"))
    config = ModelConfig("config.json", {"model_type": "llama", "num_hidden_layers": 1})
    assert expect(config, ".", source=find_source(None), use_cache=False).parameters


@pytest.mark.parametrize("name", ["shared_hash", "regex_alternatives", "memory", "eager_generator"])
def test_a_runaway_operation_of_a_release_is_ended_by_the_kernel(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loadproof.interpret.sandbox.limits.RELEASE_SECONDS", 1)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert read(release(tmp_path, RUNAWAY[name])).inconclusive
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 4


@pytest.mark.parametrize("name", ["metaclass", "reduce_getattr", "poison_layer", "exit"])
def test_no_way_leads_out_of_a_release(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = tmp_path / "canary"
    monkeypatch.setenv("LOADPROOF_CANARY", str(canary))
    assert read(release(tmp_path, ESCAPES[name])).inconclusive
    assert not canary.exists()


def test_the_command_line_ends_inconclusive(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text(json.dumps(CONFIG))
    (model / "model.safetensors").write_bytes(one_tensor("proj.weight"))
    release(tmp_path, COUNTED["list"])
    start = time.process_time()
    report = check(model, source=str(tmp_path), use_cache=False)
    assert (report.verdict, time.process_time() - start < 5) == ("inconclusive", True)
    done = run("check", str(model), "--source", str(tmp_path), "--no-cache")
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == 3
