"""JSON edits change the bytes they must, and no others."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadproof.jsontext.edit import (
    JsonEditError,
    add_members,
    assign,
    delete_value,
    parse,
    rename_keys,
    same,
    set_value,
)

STYLES = st.sampled_from([None, 1, 2, 4, "\t"])
CONFIG = """{
    "architectures": ["LlamaForCausalLM"],
    "rope": {"theta": 1e6,  "type": "yarn"},
    "layer_types": [
        "linear_attention",
        "full_attention"
    ],
    "vocab_size": 32000
}"""


def test_a_scalar_is_replaced_in_place() -> None:
    assert set_value(CONFIG, ("vocab_size",), 32064) == CONFIG.replace("32000", "32064")


def test_an_element_of_a_list_is_replaced_in_place() -> None:
    edited = set_value(CONFIG, ("layer_types", 0), "full_attention")
    assert edited == CONFIG.replace('"linear_attention"', '"full_attention"')


def test_a_whole_list_of_equal_length_changes_only_where_it_differs() -> None:
    edited = set_value(CONFIG, ("layer_types",), ["full_attention", "full_attention"])
    assert edited == CONFIG.replace('"linear_attention"', '"full_attention"')


def test_a_list_of_another_length_keeps_one_element_per_line() -> None:
    edited = set_value(CONFIG, ("layer_types",), ["a", "b", "c"])
    assert '"layer_types": [\n        "a",\n        "b",\n        "c"\n    ],' in edited


def test_a_list_on_one_line_stays_on_one_line() -> None:
    assert '"architectures": ["A", "B"],' in set_value(CONFIG, ("architectures",), ["A", "B"])


def test_a_new_key_takes_the_style_of_its_siblings() -> None:
    edited = set_value(CONFIG, ("tie_word_embeddings",), False)
    assert edited == CONFIG.replace("32000\n", '32000,\n    "tie_word_embeddings": false\n')


def test_a_new_key_in_an_object_on_one_line_stays_there() -> None:
    assert '{"theta": 1e6,  "type": "yarn",  "factor": 4}' in set_value(CONFIG, ("rope", "factor"), 4)


def test_a_missing_object_on_the_way_is_created() -> None:
    edited = set_value(CONFIG, ("text_config", "vocab_size"), 7)
    assert edited.endswith('32000,\n    "text_config": {\n        "vocab_size": 7\n    }\n}')


def test_the_number_that_is_not_edited_keeps_its_spelling() -> None:
    assert "1e6," in set_value(CONFIG, ("rope", "type"), "linear")


@pytest.mark.parametrize("key", ["architectures", "layer_types", "vocab_size"])
def test_deleting_a_member_takes_one_comma_with_it(key: str) -> None:
    edited = delete_value(CONFIG, (key,))
    assert list(json.loads(edited)) == [k for k in json.loads(CONFIG) if k != key]
    assert edited.startswith('{\n    "')
    assert edited.endswith("\n}")


def test_deleting_the_only_member_leaves_an_empty_object() -> None:
    assert json.loads(delete_value('{"a": 1}', ("a",))) == {}


def test_line_ends_and_tabs_are_kept() -> None:
    text = '{\r\n\t"a": 1\r\n}\r\n'
    assert set_value(text, ("b",), [1, 2]) == '{\r\n\t"a": 1,\r\n\t"b": [\r\n\t\t1,\r\n\t\t2\r\n\t]\r\n}\r\n'


def test_text_that_holds_letters_beyond_ascii_gets_more_of_them_unescaped() -> None:
    assert set_value('{"a": "é"}', ("b",), "ü") == '{"a": "é", "b": "ü"}'
    assert set_value('{"a": "e"}', ("b",), "ü") == '{"a": "e", "b": "\\u00fc"}'


def test_keys_are_renamed_and_removed_without_touching_the_rest() -> None:
    text = '{\n  "metadata": {},\n  "weight_map": {\n    "a.x": "1",\n    "b.x": "1",\n    "c.x": "2"\n  }\n}\n'
    edited = rename_keys(text, ("weight_map",), {"a.x": None, "b.x": "B", "c.x": None})
    assert edited == '{\n  "metadata": {},\n  "weight_map": {\n    "B": "1"\n  }\n}\n'


@settings(max_examples=200, deadline=None)
@given(keys=st.lists(st.text(max_size=3), unique=True, max_size=7), gone=st.sets(st.integers(0, 6)), style=STYLES)
def test_any_set_of_members_can_be_removed_at_once(keys: list[str], gone: set[int], style: Any) -> None:
    text = json.dumps({"m": dict.fromkeys(keys, "x"), "z": 1}, indent=style)
    edited = rename_keys(text, ("m",), {key: None for i, key in enumerate(keys) if i in gone})
    assert list(json.loads(edited)["m"]) == [key for i, key in enumerate(keys) if i not in gone]


def test_a_rename_onto_a_present_key_is_refused() -> None:
    with pytest.raises(JsonEditError, match="two keys would become one"):
        rename_keys('{"m": {"a": 1, "b": 2}}', ("m",), {"a": "b"})


def test_members_are_added_in_the_style_of_the_object() -> None:
    assert add_members('{"m": {\n "a": 1\n}}', ("m",), {"b": 2, "c": 3}) == '{"m": {\n "a": 1,\n "b": 2,\n "c": 3\n}}'


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"a": NaN}', "{", "", "[" * 100_000, '{"a": 1} x', "\ufeff{}"])
def test_what_is_not_plain_json_is_refused(text: str) -> None:
    with pytest.raises(JsonEditError):
        set_value(text, ("a",), 1)


def test_a_place_that_cannot_be_is_refused() -> None:
    for path in [("vocab_size", "x"), ("layer_types", 9), ("layer_types", "x")]:
        with pytest.raises(JsonEditError):
            set_value(CONFIG, path, 1)
    with pytest.raises(JsonEditError, match="there is no"):
        delete_value(CONFIG, ("absent",))


def test_same_tells_numbers_from_booleans_and_minds_order() -> None:
    assert not same(1, True)
    assert not same(1, 1.0)
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9999)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(document=st.dictionaries(st.text(max_size=3), VALUES, max_size=4), style=STYLES, value=VALUES, data=st.data())
def test_any_value_can_be_set_and_deleted_anywhere(document: dict[str, Any], style: Any, value: Any, data: Any) -> None:
    text = json.dumps(document, indent=style, ensure_ascii=data.draw(st.booleans()))
    if data.draw(st.booleans()):
        text = text.replace("\n", "\r\n") + "\r\n"
    path: tuple[str | int, ...] = (data.draw(st.text(max_size=3)),)
    inner = document.get(str(path[0]))
    if isinstance(inner, list) and inner:
        path = (*path, data.draw(st.integers(0, len(inner) - 1)))
    elif isinstance(inner, dict):
        path = (*path, data.draw(st.text(max_size=3)))
    edited = set_value(text, path, value)
    assert same(parse(edited), assign(copy.deepcopy(document), path, value))
    assert edited.count("\r\n") == edited.count("\n") or "\r\n" not in text
    assert set_value(edited, path, value) == edited
    delete_value(edited, path)
