"""The line of a key or list element, exactly."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loadproof.config import get, line_of, text_config_path, value_of, where
from loadproof.core.config import JsonPath, ModelConfig

TEXT = """{
  "model_type": "x", "hidden_size": 8,
  "text_config": {
    "layer_types": [
      "linear_attention",
      "full_attention"
    ],
    "nested": [[1,
      2], {"deep":
        true}]
  },
  "a\\"b": {},
  "twice": 1,
  "twice": 2
}
"""


def config(text: str) -> ModelConfig:
    return ModelConfig("config.json", json.loads(text), text)


def test_keys_and_elements_are_found_on_their_own_line() -> None:
    lines: dict[JsonPath, int | None] = {
        ("model_type",): 2,
        ("hidden_size",): 2,
        ("text_config",): 3,
        ("text_config", "layer_types"): 4,
        ("text_config", "layer_types", 0): 5,
        ("text_config", "layer_types", 1): 6,
        ("text_config", "layer_types", 2): None,
        ("text_config", "nested", 0, 1): 9,
        ("text_config", "nested", 1): 9,
        ("text_config", "nested", 1, "deep"): 9,
        ('a"b',): 12,
        ("layer_types",): None,
    }
    assert {path: line_of(config(TEXT), path) for path in lines} == lines


def test_of_a_repeated_key_the_last_line_is_meant() -> None:
    assert line_of(config(TEXT), ("twice",)) == 14


def test_where_names_file_and_line_or_the_file_alone() -> None:
    assert str(where(config(TEXT), ("hidden_size",))) == "config.json:2"
    assert str(where(config(TEXT), ("nothing",))) == "config.json"


def test_line_of_broken_text_does_not_raise() -> None:
    for text in ("", "]", "}}}", '{"a": [1, 2', '{"a" 1}', ',,,"a":'):
        assert line_of(ModelConfig("config.json", {}, text), ("a",)) in (None, 1)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('a"\\{[:,é\n', max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"\\[', max_size=3), inner, max_size=3),
    max_leaves=12,
)


def every_path(value: Any, path: JsonPath = ()) -> list[JsonPath]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [inner for key, item in items for inner in [(*path, key), *every_path(item, (*path, key))]]


@settings(max_examples=200, deadline=None)
@given(value=st.dictionaries(st.text("xyz", max_size=2), json_values, max_size=4))
def test_every_path_of_any_document_has_a_line_and_they_ascend(value: dict[str, Any]) -> None:
    text = json.dumps(value, indent=1)
    document = config(text)
    lines = [line_of(document, path) for path in every_path(value)]
    assert None not in lines
    assert lines == sorted(line for line in lines if line is not None)
    assert len(set(lines)) == len(lines)


def test_get_walks_keys_and_indices_and_gives_the_default_elsewhere() -> None:
    document = config(TEXT)
    assert get(document, ("text_config", "layer_types", 1)) == "full_attention"
    assert get(document, ("text_config", "layer_types", 7), "none") == "none"
    assert get(document, ("text_config", "layer_types", "x"), "none") == "none"
    assert get(document, ("model_type", 0), "none") == "none"
    assert get(document, ()) == document.raw


def test_the_text_config_is_found_wherever_composites_keep_it() -> None:
    paths = {
        "flat": ({"hidden_size": 8}, ()),
        "multimodal": ({"text_config": {"hidden_size": 8}, "vision_config": {}}, ("text_config",)),
        "nested twice": ({"thinker_config": {"text_config": {}}}, ("thinker_config", "text_config")),
        "encoder-decoder": ({"decoder": {"hidden_size": 8}, "encoder": {"hidden_size": 8}}, ("decoder",)),
        "a name that is no config": ({"decoder": {"type": "bpe"}, "hidden_size": 8}, ()),
        "not an object": ({"text_config": "x"}, ()),
    }
    for raw, path in paths.values():
        assert text_config_path(ModelConfig("config.json", dict(raw))) == path


def test_a_field_is_found_under_any_of_its_spellings() -> None:
    assert value_of({"n_layer": 12}, "num_hidden_layers") == 12
    assert value_of({"torch_dtype": "float16"}, "dtype") == "float16"
    assert value_of({"n_layer": 12, "num_hidden_layers": 10}, "num_hidden_layers") == 10
    assert value_of({}, "hidden_size", 7) == 7
