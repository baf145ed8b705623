"""Small configs and programs to start from, and edits that keep most of them well-formed enough to be read deeply."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from tests.fuzz.generator import Generator

CONFIGS: list[dict[str, Any]] = [
    {"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 64, "vocab_size": 128, "rope_scaling": None},
    {"model_type": "qwen3_next", "num_hidden_layers": 4, "layer_types": ["linear_attention", "full_attention"] * 2},
    {"model_type": "x", "num_hidden_layers": 6, "full_attention_interval": 3, "hybrid_override_pattern": "M-M*ME"},
    {"model_type": "x", "layers_block_type": ["mamba", "attention"], "attn_layer_period": 2, "attn_layer_offset": 1},
    {"model_type": "x", "n_layer": 3, "num_experts": 8, "decoder_sparse_step": 2, "mlp_only_layers": [0, 2]},
    {"model_type": "x", "text_config": {"num_hidden_layers": 2, "sliding_window_pattern": 6}, "vision_config": {}},
    {"model_type": "x", "auto_map": {"AutoConfig": "a.B", "AutoModelForCausalLM": ["c--d.E", None]}},
    {"model_type": "x", "quantization_config": {"quant_method": "fp8", "ignore": ["re:.*lm_head", "a"]}},
    {"model_type": "x", "architectures": ["A", "B"], "_name_or_path": "https://example.org/x", "dtype": "bfloat16"},
    {"model_type": "x", "num_hidden_layers": 3, "layer_group_size": 2, "attn_type_list": [0, 1, 1], "first_k_dense": 1},
]
_VALUES = [
    b"0", b"-1", b"1", b"2", b"3.5", b"1e999", b"NaN", b"-Infinity", b"true", b"null", b'""', b"[]", b"{}", b'"M*-E"',
    b'"full_attention"', b"10001", b"1000000000000", b"9" * 400, b'"\\ud800"', b'"\\u202e"', b'"re:(a+)+"', b"[[[[]]]]",
    b'["a"]', b'{"a":{"a":{}}}', b'"../x.Y"',
]  # fmt: skip
_PIECES = [
    "self",
    "config",
    "torch",
    "nn",
    "super()",
    "type(self)",
    "object",
    "getattr(self,'x')",
    "len(x)",
    "[1]",
    "(1,2)",
    "{'a':1}",
    "'text'",
    "7",
    "-1",
    "None",
    "True",
    "x",
    "y",
    "range(9)",
    "lambda:0",
    "nn.Linear(2,3)",
    "nn.ModuleList()",
    "torch.zeros(2)",
    "x.append(1)",
    "x+x",
    "x*2",
    "x[0]",
    "x[:]",
    "f'{x}'",
    "'%s'%x",
    "'{}'.format(x)",
    "[i_for_i_in_x]",
    "(yield)",
    "(x:=1)",
    "x==y",
    "x_in_y",
    "not_x",
    "*x",
    "**x",
    "str(x)",
    "list(x)",
    "sorted(x)",
    "map(str,x)",
    "zip(x,x)",
]
_START = ("import math, copy, re, functools, itertools, collections", "x, y, z, f = [1], {'a': 2}, 3, len", "C = dict")


def mutate_json(rng: random.Random, seed: bytes) -> bytes:
    """One to four edits: a value, a key, a repetition, or a damaged byte."""
    blob = seed
    for _ in range(rng.choice((1, 1, 2, 4))):
        cuts = [i for i, c in enumerate(blob) if c in b":,[]{}"] or [0]
        at, kind = rng.choice(cuts), rng.randrange(6)
        end = next((i for i in cuts if i > at), len(blob))
        if kind < 3:
            blob = blob[: at + 1] + rng.choice(_VALUES) + blob[end:]
        elif kind == 3:
            blob = blob[:end] + blob[at:end] + blob[end:]
        elif kind == 4:
            other = rng.choice(cuts)
            blob = blob[: other + 1] + blob[at + 1 : end] + blob[end if other < at else other + 1 :]
        else:
            byte = rng.randrange(len(blob) + 1)
            blob = blob[:byte] + bytes([rng.randrange(256)]) + blob[byte + rng.randrange(2) :]
    return blob[:4000]


def mutate_source(rng: random.Random, seed: bytes) -> bytes:
    """One to four edits: statements made up into the constructor, an expression for another, a line twice, or a damaged byte."""
    lines = seed.decode("utf-8", "replace").split("\n")
    for _ in range(rng.choice((1, 1, 1, 1, 1, 1, 2, 3))):
        inside = next((i for i, line in enumerate(lines) if "super().__init__(config)" in line), len(lines) - 1)
        at, kind = rng.randrange(len(lines)), rng.randrange(30)
        if kind < 26:
            lines[inside + 1 : inside + 1] = ["        " + line for line in _made_up(rng)]
        elif kind < 28:
            lines[at] = _other_piece(rng, lines[at])
        elif kind == 28:
            lines.insert(rng.randrange(len(lines)), lines[at])
        else:
            byte = rng.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:byte] + chr(rng.randrange(1, 0x250)) + lines[at][byte + rng.randrange(2) :]
    return "\n".join(lines).encode()[:20000]


def _made_up(rng: random.Random) -> list[str]:
    """Statements, half of the time repeated by a loop; most are few and flat, so that many can be tried."""
    count, depth = rng.choice(((1, 0), (1, 1), (1, 1), (2, 1), (1, 2), (3, 2)))
    made = Generator(rng).body(count, depth)
    loop = [f"for i in range({rng.choice((2, 5, 12))}):", *("    " + line for line in made)]
    return [*_START, *(loop if rng.random() < 0.5 else made)]


def _other_piece(rng: random.Random, line: str) -> str:
    """The line with one of its words, or the rest behind it, replaced by an expression."""
    marks = [i for i, c in enumerate(line) if c in " (=,.["] or [0]
    at = rng.choice(marks) + 1
    end = next((i for i in marks if i >= at), len(line)) if rng.random() < 0.7 else len(line)
    return line[:at] + rng.choice(_PIECES).replace("_", " ") + line[end:]


def tiny_release(root: Path) -> Path:
    """The package folder of a release that holds the two base classes and an empty table of model types."""
    texts = {
        "__init__.py": _PACKAGE,
        "configuration_utils.py": _CONFIGURATION,
        "modeling_utils.py": _MODELING,
        "models/__init__.py": "",
        "models/auto/__init__.py": "",
        "models/auto/configuration_auto.py": 'CONFIG_MAPPING_NAMES = {"none": "NoneConfig"}\n',
        "models/auto/modeling_auto.py": "MODEL_MAPPING_NAMES = {}\n",
    }
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


_PACKAGE = """
__version__ = "5.0.0"
_import_structure = {"configuration_utils": ["PretrainedConfig"], "modeling_utils": ["PreTrainedModel"]}
sys.modules[__name__] = _LazyModule(__name__, globals()["__file__"], _import_structure, module_spec=__spec__)
"""
_CONFIGURATION = """
class PretrainedConfig:
    model_type = ""
    attribute_map = {}
    sub_configs = {}

    def __init__(self, **kwargs):
        for key, value in kwargs.items():
            setattr(self, key, value)
"""
_MODELING = """
class PreTrainedModel:
    config_class = None
    base_model_prefix = ""

    def get_expanded_tied_weights_keys(self, all_submodels=False):
        return {}
"""
