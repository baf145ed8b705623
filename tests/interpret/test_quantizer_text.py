"""What the text of quantizers and of their packages is made of, against Python and pydantic themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import NotUnderstood
from loadproof.interpret.release.disk import on_disk
from loadproof.interpret.release.world import World

MODULE = "transformers.quantizers.example"


def evaluated(folder: Path, files: dict[str, str], versions: dict[str, str] | None = None) -> World:
    """A release of these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "quantizers").mkdir(exist_ok=True)
    world = World(on_disk(str(folder), is_trusted=True), versions=lambda: {"torch": "2.13.0", **(versions or {})})
    world.begin("")
    return world


def in_python(text: str, name: str) -> Any:
    names: dict[str, Any] = {}
    exec(compile(text, "example", "exec", dont_inherit=True), names)  # a text of this file
    return names[name]


DATACLASSES = """
from dataclasses import dataclass
from enum import Enum

class Method(str, Enum):
    FP8 = "fp8"
    GPTQ = "gptq"

@dataclass
class Base:
    quant_method: Method

    @classmethod
    def from_dict(cls, values):
        return cls(**values)

@dataclass
class Config(Base):
    def __init__(self, bits=4, **kwargs):
        self.quant_method = Method.FP8
        self.bits = bits
        self.more = sorted(kwargs)

@dataclass
class Plain(Base):
    bits: int = 8

def told():
    config, plain = Config.from_dict({"bits": 2, "x": 1}), Plain("gptq")
    return [
        config.bits, config.more, config.quant_method.value, config.quant_method == "fp8", plain.bits, plain.quant_method,
        list(Method.__members__), Method("gptq").name, Method.FP8 + "_4bit", "fp8" in {Method.FP8: 1},
    ]
"""


def test_a_dataclass_keeps_the_constructor_that_it_has_itself(tmp_path: Path) -> None:
    world = evaluated(tmp_path, {"quantizers/example.py": DATACLASSES})
    assert world.load(MODULE, "told")() == in_python(DATACLASSES, "told")()


MODELS = """
from enum import Enum
from typing import Any, Optional, Union
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

class Kind(str, Enum):
    INT = "int"
    FLOAT = "float"

class Args(BaseModel, use_enum_values=True):
    num_bits: int = 8
    type: Kind = Kind.INT
    group_size: int | None = None
    dynamic: Kind | bool = False
    names: Optional[list[str]] = None
    more: dict[str, Any] = Field(default_factory=dict)

    @field_validator("type", mode="before")
    def lower(cls, value):
        return value.lower() if isinstance(value, str) else value

    @model_validator(mode="after")
    def check(model):
        if model.num_bits > 16:
            raise ValueError("too many bits")
        if model.group_size is None:
            model.group_size = -1
        return model

    model_config = ConfigDict(extra="forbid")

class Scheme(BaseModel):
    targets: list[str]
    weights: Union[Args, None] = None

class Config(BaseModel):
    groups: dict[str, Scheme | list[str]]
    ignore: list[str] | None = Field(default_factory=list)
    status: Kind = Kind.FLOAT

    def model_post_init(self, context):
        self.first = min(self.groups) if self.groups else None

    model_config = ConfigDict(extra="ignore")

def told(values):
    made = Config.model_validate(values)
    args = [g.weights for g in made.groups.values() if isinstance(g, Scheme) and g.weights is not None]
    parts = [(a.num_bits, a.type, a.group_size, a.dynamic, a.names, a.more, sorted(a.model_fields_set)) for a in args]
    return [parts, made.ignore, made.status.value, sorted(made.groups), made.status == "float"]
"""
ARGS: tuple[dict[str, Any], ...] = (
    {},
    {"num_bits": 4, "type": "INT", "group_size": 128},
    {"num_bits": "4"},
    {"num_bits": 4.0, "dynamic": "float", "names": ["a"], "more": {"x": [1]}},
    {"dynamic": True},
    {"dynamic": "other"},
    {"num_bits": 4.5},
    {"num_bits": None},
    {"num_bits": 32},
    {"group_size": "x"},
    {"names": "abc"},
    {"strange": 1},
)
VALUES: tuple[dict[str, Any], ...] = (
    *({"groups": {"g": {"targets": ["Linear"], "weights": args}}} for args in ARGS),
    {"groups": {"g": ["Linear"]}, "ignore": None, "strange": 1},
    {"groups": {"g": {"targets": ["Linear"]}}, "status": "int"},
    {"groups": {"g": {"weights": None}}},
    {"groups": {"g": 7}},
    {"groups": {}, "status": "none"},
    {},
)


@pytest.mark.torch
@pytest.mark.parametrize("values", VALUES, ids=str)
def test_a_model_takes_and_refuses_what_pydantic_does(values: dict[str, Any], tmp_path: Path) -> None:
    text = MODELS.replace("        self.first = min(self.groups) if self.groups else None\n", "        pass\n")
    try:
        wanted: Any = in_python(text, "told")(values)
    except ValueError as error:
        wanted = type(error).__name__
    world = evaluated(tmp_path, {"quantizers/example.py": text})
    try:
        found: Any = world.load(MODULE, "told")(values)
    except ValueError as error:
        found = type(error).__name__
    assert found == wanted


def test_every_name_of_a_module_is_imported_but_the_private_ones(tmp_path: Path) -> None:
    files = {
        "a.py": "from .b import *\nfrom .c import *\n",
        "b.py": "from .a import *\nX = 1\n_Y = 2\n",
        "c.py": "Z = 3\n",
    }
    world = evaluated(tmp_path, files)
    assert world.load("transformers.a", "X") == 1
    assert world.load("transformers.b", "Z") == 3
    with pytest.raises(NotUnderstood):
        world.load("transformers.a", "_Y")


TESTS = """
def _is_package_available(name):
    return importing

def is_bitsandbytes_available():
    return _is_package_available("bitsandbytes")[0]
"""
ASKING = """
from ..utils import is_bitsandbytes_available
if is_bitsandbytes_available():
    ANSWER = "there"
else:
    ANSWER = "not there"

def wanted():
    import compressed_tensors
"""


@pytest.mark.parametrize(("versions", "answer"), [({}, "not there"), ({"bitsandbytes": "0.50.2"}, "there")])
def test_a_quantizer_is_told_what_is_installed(versions: dict[str, str], answer: str, tmp_path: Path) -> None:
    files = {
        "utils/import_utils.py": TESTS,
        "utils/__init__.py": "",
        "quantizers/example.py": ASKING,
        "models/m.py": ASKING,
    }
    world = evaluated(tmp_path, files, versions)
    assert world.load(MODULE, "ANSWER") == answer
    assert world.supposed == {"bitsandbytes": bool(versions)}
    with pytest.raises(ModuleNotFoundError, match="compressed_tensors"):
        world.load(MODULE, "wanted")()


def test_the_rest_of_the_release_sees_no_package(tmp_path: Path) -> None:
    files = {"utils/import_utils.py": TESTS, "utils/__init__.py": "", "models/m.py": ASKING}
    world = evaluated(tmp_path, files, {"bitsandbytes": "0.50.2"})
    assert world.load("transformers.models.m", "ANSWER") == "not there"


def test_a_long_text_is_searched_for_a_pattern_without_repeats(tmp_path: Path) -> None:
    text = "import re\ndef found(text, pattern):\n    return re.search(pattern, text, re.MULTILINE) is not None\n"
    search = evaluated(tmp_path, {"quantizers/example.py": text}).load(MODULE, "found")
    names = "\n".join(f"model.layers.{i}.weight" for i in range(3_000))
    assert search(names, "layers.2999.weight$") is True
    assert search(names, "layers.3000.weight$") is False
    with pytest.raises(NotUnderstood, match="regular expression on a text"):
        search(names, ".*weight")
    limits.start()


EXPERTS = """
from ..nn_like import use_experts_implementation
import torch.nn as nn

@use_experts_implementation(is_transposed=True, has_bias=True)
class Experts(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.size = config
"""


def test_experts_say_what_their_decorator_states(tmp_path: Path) -> None:
    made = evaluated(tmp_path, {"models/m.py": EXPERTS}).load("transformers.models.m", "Experts")(7)
    assert (made.size, made.config, made.is_transposed, made.has_bias, made.has_gate) == (7, 7, True, True, True)


def test_a_list_that_holds_another_twice_many_times_over_is_dumped_within_the_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "STEPS", 100_000)
    text = """
from pydantic import BaseModel

class Held(BaseModel):
    y: list = []

def dumped():
    held, doubled = Held(), []
    for _ in range(60):
        doubled = [doubled, doubled]
    held.y = doubled
    return held.model_dump()

result = dumped()
"""
    limits.start()
    with pytest.raises(limits.LimitReached):
        evaluated(tmp_path, {"quantizers/example.py": text}).load(MODULE, "result")
