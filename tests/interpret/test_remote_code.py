"""A repository's own code is read like the release's; what is missing is loud."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from loadproof.core.config import ModelConfig
from loadproof.core.expectation import Expectation
from loadproof.interpret import expect
from loadproof.interpret.language.errors import SourceMissing
from loadproof.interpret.release.remote_code import reference

CONFIG = """
    from transformers.configuration_utils import PretrainedConfig

    class TinyConfig(PretrainedConfig):
        model_type = "tiny_own"

        def __init__(self, width=6, depth=2, **kwargs):
            self.width, self.depth = width, depth
            super().__init__(**kwargs)
"""
MODEL = """
    import torch
    from torch import nn
    from transformers.modeling_utils import PreTrainedModel
    from .configuration_tiny import TinyConfig

    class Block(nn.Module):
        def __init__(self, config, index):
            super().__init__()
            self.up = nn.Linear(config.width, 2 * config.width, bias=index % 2 == 0)
            self.scale = nn.Parameter(torch.ones(config.width))
            self.register_buffer("steps", torch.arange(config.width))
            self.register_buffer("hidden", torch.zeros(1), persistent=False)

    class TinyForCausalLM(PreTrainedModel):
        config_class = TinyConfig
        base_model_prefix = "body"
        _tied_weights_keys = {"head.weight": "embed.weight"}
        _keys_to_ignore_on_load_missing = [r"steps"]

        def __init__(self, config):
            super().__init__(config)
            self.embed = nn.Embedding(10, config.width)
            self.blocks = nn.ModuleList([Block(config, i) for i in range(config.depth)])
            self.head = nn.Linear(config.width, 10, bias=False)
            self.post_init()

        def get_input_embeddings(self):
            return self.embed
"""
RAW: dict[str, Any] = {
    "model_type": "tiny_own",
    "width": 4,
    "auto_map": {
        "AutoConfig": "configuration_tiny.TinyConfig",
        "AutoModelForCausalLM": "modeling_tiny.TinyForCausalLM",
    },
}


def read(folder: Path, raw: dict[str, Any] = RAW, **files: str) -> Expectation:
    for name, text in {"configuration_tiny": CONFIG, "modeling_tiny": MODEL, **files}.items():
        if text:
            (folder / f"{name}.py").write_text(dedent(text))
    return expect(ModelConfig("config.json", raw), str(folder), use_cache=False)


def test_the_own_class_is_read(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert (found.inconclusive, found.raises, found.source) == (None, None, "remote-code")
    assert found.class_name == "TinyForCausalLM"
    assert {(f.template, f.axes, f.shape, f.kind) for f in found.families} == {
        ("embed.weight", (), (10, 4), "parameter"),
        ("head.weight", (), (10, 4), "parameter"),
        ("blocks.{}.up.weight", ((0, 1),), (8, 4), "parameter"),
        ("blocks.{}.up.bias", ((0,),), (8,), "parameter"),
        ("blocks.{}.scale", ((0, 1),), (4,), "parameter"),
        ("blocks.{}.steps", ((0, 1),), (4,), "buffer"),
    }
    assert set(found.buffer_names) == {"blocks.{}.steps", "blocks.{}.hidden"}
    assert found.private.ignore_missing == ("steps",)
    assert found.base_model_prefix == "body"
    source = {f.template: f.source for f in found.families}
    assert source["blocks.{}.up.weight"] == "modeling_tiny.py:10"


def test_the_library_gives_custom_code_no_rules_of_its_own(tmp_path: Path) -> None:
    kinds = {rule.sources for rule in read(tmp_path).private.rules}
    assert ("LayerNorm.gamma",) in kinds  # the legacy rules hold for everyone
    assert not any("experts" in source for sources in kinds for source in sources)


@pytest.mark.parametrize("name", ["configuration_tiny", "modeling_tiny"])
def test_a_missing_file_is_named(name: str, tmp_path: Path) -> None:
    found = read(tmp_path, **{name: ""})
    assert found.raises is None
    assert f"{name}.py is not in the folder" in (found.inconclusive or "")
    assert "model type `tiny_own`" in (found.inconclusive or "")


def test_a_missing_file_behind_an_import_is_named(tmp_path: Path) -> None:
    model = MODEL.replace(
        "from .configuration_tiny", "from .tiny_layers import Layer\n    from .configuration_tiny"
    ).replace("nn.ModuleList([Block", "nn.ModuleList([Layer")
    raises = read(tmp_path, modeling_tiny=model).raises or ""
    assert raises.startswith("FileNotFoundError: ")
    assert "tiny_layers.py" in raises


def test_code_of_another_repository_is_named(tmp_path: Path) -> None:
    raw = {**RAW, "auto_map": {k: f"someone/else--{v}" for k, v in RAW["auto_map"].items()}}
    found = read(tmp_path / "..", {**raw}, configuration_tiny="", modeling_tiny="")
    assert "in the repository someone/else" in (found.inconclusive or "")


def test_an_unknown_layer_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    model = MODEL.replace("nn.Embedding(10, config.width)", "nn.EmbeddingBag(10, config.width)")
    assert "torch.nn.EmbeddingBag is not modelled" in (read(tmp_path, modeling_tiny=model).inconclusive or "")


def test_an_unknown_base_class_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    model = MODEL.replace("class Block(nn.Module)", "from msgspec import Fused\n\n    class Block(Fused)")
    assert read(tmp_path, modeling_tiny=model).inconclusive is not None


def test_a_loop_without_end_is_stopped(tmp_path: Path) -> None:
    model = MODEL.replace("self.post_init()", "while True: pass")
    assert "while loop" in (read(tmp_path, modeling_tiny=model).inconclusive or "")


def test_code_that_is_no_python_is_no_traceback(tmp_path: Path) -> None:
    assert read(tmp_path, modeling_tiny="this is ( not python").raises == (
        "SyntaxError: '(' was never closed (<unknown>, line 1)"
    )


def test_a_module_level_eval_is_not_run(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    hostile = (
        f"    import os\n    FLAG = eval(\"os.system('touch {canary}')\")\n    os.system('touch {canary}')\n" + MODEL
    )
    found = read(tmp_path, modeling_tiny=hostile)
    assert "eval of more than" in (found.inconclusive or "")
    assert not canary.exists()


def test_a_native_class_goes_before_the_repositorys_code(tmp_path: Path) -> None:
    raw = {**RAW, "model_type": "llama", "num_hidden_layers": 1}
    assert read(tmp_path, raw).source == "installed"


@pytest.mark.parametrize(
    "text", ["../x.Y", "a/b.Y", "x", ".Y", "a..B", "a.b c", 3, None, [], ["a;b.C"], "/etc/passwd.X"]
)
def test_an_auto_map_entry_that_is_no_class_is_refused(text: Any) -> None:
    with pytest.raises(SourceMissing):
        reference(text)


def test_an_auto_map_entry_may_be_a_list() -> None:
    assert reference([None, "package.module.Name"]) == ("package.module", "Name", "")


def test_the_class_is_one_that_an_auto_class_gives(tmp_path: Path) -> None:
    """`architectures` may name the backbone; AutoModelForCausalLM goes by the auto_map."""
    model = MODEL + "\n    class TinyModel(TinyForCausalLM):\n        pass\n"
    found = read(tmp_path, {**RAW, "architectures": ["TinyModel"]}, modeling_tiny=model)
    assert found.class_name == "TinyForCausalLM"


def test_of_several_classes_in_the_auto_map_the_stated_one_is_taken(tmp_path: Path) -> None:
    model = MODEL + "\n    class TinyForScores(TinyForCausalLM):\n        pass\n"
    auto_map = {**RAW["auto_map"], "AutoModelForSequenceClassification": "modeling_tiny.TinyForScores"}
    found = read(tmp_path, {**RAW, "architectures": ["TinyForScores"], "auto_map": auto_map}, modeling_tiny=model)
    assert found.class_name == "TinyForScores"


def test_an_auto_map_without_a_causal_model_still_names_one(tmp_path: Path) -> None:
    auto_map = {"AutoConfig": "configuration_tiny.TinyConfig", "AutoModelForMaskedLM": "modeling_tiny.TinyForCausalLM"}
    assert read(tmp_path, {**RAW, "auto_map": auto_map}).parameters == 9


def release_of(folder: Path, version: str, methods: str) -> str:
    """A release in miniature: only what is read of one."""
    files = {
        "__init__": f'__version__ = "{version}"\n',
        "configuration_utils": """
            class PretrainedConfig:
                attribute_map = {}

                def __setattr__(self, key, value):
                    super().__setattr__(key, value)

                def __init__(self, **kwargs):
                    for key, value in kwargs.items():
                        setattr(self, key, value)
        """,
        "modeling_utils": "class PreTrainedModel(object):\n" + methods,
        "models/auto/configuration_auto": "CONFIG_MAPPING_NAMES = {'known': 'KnownConfig', 'also_known': 'AlsoConfig'}\n",
    }
    for name, text in files.items():
        path = folder / "transformers" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return str(folder / "transformers")


LISTED = """
    def tie_weights(self):
        if self.get_output_embeddings() is not None:
            self.get_output_embeddings().weight = self.get_input_embeddings().weight

    def get_output_embeddings(self):
        return None
"""
MAPPED = """
    def get_expanded_tied_weights_keys(self, all_submodels=False):
        return {}

    def post_init(self):
        self.all_tied_weights_keys = self.get_expanded_tied_weights_keys()
        self.init_weights()
"""


def read_with(folder: Path, version: str, methods: str, **replaced: str) -> Expectation:
    source = release_of(folder, version, methods)
    model = MODEL.replace(
        '_tied_weights_keys = {"head.weight": "embed.weight"}', '_tied_weights_keys = ["head.weight"]'
    )
    for old, new in replaced.items():
        model = model.replace(f"# {old}", new)
    for name, text in {"configuration_tiny": CONFIG, "modeling_tiny": model}.items():
        (folder / f"{name}.py").write_text(dedent(text))
    return expect(ModelConfig("config.json", RAW), str(folder), source=source, use_cache=False)


HEAD = """
        def get_output_embeddings(self):
            return self.head
"""


def test_only_the_outermost_model_ties_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`get_output_embeddings` of a part is not asked under from_pretrained of 4.x."""
    monkeypatch.setitem(globals(), "MODEL", MODEL + HEAD)
    assert read_with(tmp_path, "4.40.0", LISTED).ties == (("head.weight", "embed.weight"),)
    whole = """
    class Whole(TinyForCausalLM):
        def __init__(self, config):
            PreTrainedModel.__init__(self, config)
            self.inner = TinyForCausalLM(config)

        def get_input_embeddings(self):
            return self.inner.embed

        def get_output_embeddings(self):
            return None
"""
    monkeypatch.setitem(globals(), "MODEL", MODEL + whole)
    monkeypatch.setitem(RAW["auto_map"], "AutoModelForCausalLM", "modeling_tiny.Whole")
    found = read_with(tmp_path, "4.40.0", LISTED)
    assert (found.inconclusive, found.parameters, found.ties) == (None, 9, ())


TIE = """
        def tie_weights(self):
            self.head.weight = self.embed.weight
"""


def test_a_tie_method_of_old_code_does_not_take_what_release_5_hands_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "MODEL", MODEL + TIE)
    assert read_with(tmp_path, "4.40.0", LISTED).ties == (("head.weight", "embed.weight"),)
    raises = read_with(tmp_path, "5.9.0", MAPPED).raises
    assert raises == "TypeError: TinyForCausalLM.tie_weights() got an unexpected keyword argument 'recompute_mapping'"


def test_numbers_of_a_tensor_exist_where_the_release_builds_on_the_cpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "self.rates = [x.item() for x in torch.linspace(0, 1, 3)]; self.post_init()"
    monkeypatch.setitem(globals(), "MODEL", MODEL.replace("self.post_init()", line))
    assert read_with(tmp_path, "4.40.0", LISTED).raises is None
    assert read_with(tmp_path, "5.9.0", MAPPED).raises == (
        "RuntimeError: Tensor.item() cannot be called on meta tensors"
    )


def test_a_field_that_the_configuration_lacks_is_the_librarys_exception(tmp_path: Path) -> None:
    model = MODEL.replace("nn.Embedding(10, config.width)", "nn.Embedding(10, config.breadth)")
    assert (
        read(tmp_path, modeling_tiny=model).raises == "AttributeError: 'TinyConfig' object has no attribute 'breadth'"
    )


def test_a_property_that_needs_a_part_fails_before_the_part_is_made(tmp_path: Path) -> None:
    """Releases from 4.50 on ask the half-built model whether it supports an attention."""
    model = MODEL.replace(
        "def get_input_embeddings",
        "@property\n        def _supports_sdpa(self):\n            return self.head.fast\n\n        def get_input_embeddings",
    )
    assert read(tmp_path, modeling_tiny=model).raises == (
        "AttributeError: 'TinyForCausalLM' object has no attribute '_supports_sdpa'"
    )


def test_a_class_named_as_the_auto_map_names_it_is_the_repositorys_own(tmp_path: Path) -> None:
    raw = {**RAW, "model_type": "llama"}
    read(tmp_path)
    found = expect(ModelConfig("config.json", raw), str(tmp_path), class_name=raw["auto_map"]["AutoModelForCausalLM"])
    assert (found.source, found.class_name, found.parameters) == ("remote-code", "TinyForCausalLM", 9)


def test_an_import_that_the_release_does_not_serve_raises(tmp_path: Path) -> None:
    model = "    from transformers.utils import is_gone_for_good\n" + MODEL
    raises = read(tmp_path, modeling_tiny=model).raises or ""
    assert raises.startswith("ImportError: cannot import name 'is_gone_for_good' from 'transformers.utils' (")


OWN_LOADING = """
        @classmethod
        def from_pretrained(cls, path, *args, **kwargs):
            {body}
"""


def test_a_class_that_loads_in_a_way_of_its_own_is_not_judged(tmp_path: Path) -> None:
    model = MODEL + OWN_LOADING.format(body="return cls(TinyConfig())")
    assert "a from_pretrained of its own" in (read(tmp_path, modeling_tiny=model).inconclusive or "")


def test_a_constructor_without_post_init_leaves_nothing_to_load_with(tmp_path: Path) -> None:
    model = MODEL.replace("            self.post_init()\n", "")
    assert read(tmp_path, modeling_tiny=model).raises == (
        "AttributeError: 'TinyForCausalLM' object has no attribute 'all_tied_weights_keys'"
    )


def test_a_list_of_ties_fails_where_words_are_tied_and_is_not_asked_otherwise(tmp_path: Path) -> None:
    model = MODEL.replace('{"head.weight": "embed.weight"}', '["head.weight"]')
    raises = "AttributeError: 'list' object has no attribute 'keys'"
    assert read(tmp_path, {**RAW, "tie_word_embeddings": True}, modeling_tiny=model).raises == raises
    assert read(tmp_path, {**RAW, "tie_word_embeddings": False}, modeling_tiny=model).raises is None


@pytest.mark.parametrize(
    ("line", "raises"),
    [
        ("x = {'a': 1}['type']", "KeyError: 'type'"),
        ("x = [1, 2][5]", "IndexError: list index out of range"),
        ("x = 1 + None", "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'"),
        ("a, b = config.width, 2, 3", "ValueError: too many values to unpack (expected 2)"),
        ("x = ''.no_such", "AttributeError: 'str' object has no attribute 'no_such'"),
    ],
)
def test_an_operation_that_fails_on_known_values_fails_in_the_library(line: str, raises: str, tmp_path: Path) -> None:
    model = MODEL.replace("self.post_init()", f"{line}\n            self.post_init()")
    assert read(tmp_path, modeling_tiny=model).raises == raises


@pytest.mark.parametrize(
    "line",
    [
        "import os; x = os.environ['NO_SUCH']",
        "x = torch.zeros(2)['a']",
        "x = nn.Linear(1, 2, no_such=3)",
        "x = self.generate.no_such_attribute",
        "x = 'a' + torch.float32",
    ],
)
def test_an_operation_that_fails_on_a_stand_in_proves_nothing(line: str, tmp_path: Path) -> None:
    model = MODEL.replace("self.post_init()", f"{line}\n            self.post_init()")
    assert read(tmp_path, modeling_tiny=model).raises is None


def test_a_class_that_hands_loading_on_is_judged(tmp_path: Path) -> None:
    model = MODEL + OWN_LOADING.format(body="return super(TinyForCausalLM, cls).from_pretrained(path, *args, **kwargs)")
    assert read(tmp_path, modeling_tiny=model).parameters == 9
