"""Spans of a JSON text are exact, cost a time that is linear in it, and no depth of nesting ends them."""

from __future__ import annotations

import json
import time
from json.decoder import JSONDecodeError
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadproof.core.config import JsonPath
from loadproof.jsontext.scan import Member, find, members

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text('a"\\{}[],:é\n', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab"\\[,', max_size=3), inner, max_size=3),
    max_leaves=12,
)


def inner_members(text: str, position: int) -> list[Member]:
    return list(members(text, position)) if text[position] in "{[" else []


@settings(max_examples=300, deadline=None)
@given(value=VALUES, indent=st.sampled_from([None, 0, 1, "\t"]))
def test_every_span_holds_the_value_of_its_member(value: Any, indent: Any) -> None:
    text = json.dumps(value, indent=indent)
    waiting = [(0, value)]
    while waiting:
        position, whole = waiting.pop()
        found = inner_members(text, position)
        expected = list(whole.items()) if isinstance(whole, dict) else []
        expected = list(enumerate(whole)) if isinstance(whole, list) else expected
        assert [(member.key, json.loads(text[member.value : member.end])) for member in found] == expected
        if isinstance(whole, dict):
            assert all(text[member.start] == '"' for member in found)
        waiting += [(member.value, inner) for member, (_, inner) in zip(found, expected, strict=True)]


@settings(max_examples=100, deadline=None)
@given(value=st.dictionaries(st.text('ab"\\[,', max_size=3), VALUES, max_size=4))
def test_reading_the_values_on_the_way_finds_the_same_spans(value: Any) -> None:
    text = json.dumps(value)
    read = list(members(text, 0, json.JSONDecoder().raw_decode))
    assert {member.key: member.read for member in read} == value
    assert [member[:4] for member in read] == [member[:4] for member in members(text, 0)]


def test_of_a_key_given_twice_the_last_is_found() -> None:
    text = '{"a": 1, "b": {"a": 2}, "a": {"c": 3}}'
    found = find(text, ("a", "c"))
    assert found
    assert text[found.value : found.end] == "3"
    assert find(text, ("a", "x")) is None
    assert find(text, ("b", "a", "deeper")) is None


@pytest.mark.parametrize(
    "text",
    ['{"a" 1}', '{"a": 1 "b": 2}', '{"a": 1,}', "{'a': 1}", '{"a": [1, 2}', '{"a": {"b": 1', '{"a": "b', "[1, 2"],
)
def test_text_that_is_no_json_is_refused_or_ends_without_a_member_of_it(text: str) -> None:
    with pytest.raises(JSONDecodeError):
        list(members(text, 0, json.JSONDecoder().raw_decode))
    try:
        found = list(members(text, 0))
    except JSONDecodeError:
        return
    assert all(member.end <= len(text) for member in found)


@pytest.mark.parametrize("depth", [1_000, 200_000])
def test_depth_costs_no_stack(depth: int) -> None:
    text = '{"deep": ' + "[" * depth + "]" * depth + ', "after": 1}'
    assert find(text, ("after",)) == Member("after", len(text) - 11, len(text) - 2, len(text) - 1)


SHAPES: dict[str, tuple[JsonPath, Any]] = {
    "plain": (("z",), lambda n: "{" + "".join(f'"k{i}": "v",' for i in range(n)) + '"z": 1}'),
    "escaped": (("z",), lambda n: "{" + "".join(f'"\\u00e9{i}": "\\"",' for i in range(n)) + '"z": 1}'),
    "lists": (("z",), lambda n: '{"a": [' + "[]," * n + '1], "z": 1}'),
    "quotes": (("z",), lambda n: '{"a": "' + '\\"' * n + '", "z": 1}'),
    "spaces": (("z",), lambda n: "{" + " " * n + '"a"' + " " * n + ":" + " " * n + "1" + " " * n + ', "z": 1}'),
    "open quote": (("z",), lambda n: '{"a' + '\\"' * n),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_time_of_a_search_is_linear_in_the_text(name: str) -> None:
    path, build = SHAPES[name]

    def seconds(n: int) -> float:
        text = build(n)
        begin = time.process_time()
        try:
            find(text, path)
        except JSONDecodeError:
            assert name == "open quote"
        return time.process_time() - begin

    short = max(min(seconds(50_000) for _ in range(3)), 0.002)
    assert seconds(400_000) < 40 * short  # linear is 8, quadratic 64
