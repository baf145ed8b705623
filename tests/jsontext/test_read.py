"""Strict reading keeps what Python's own json forgives, and says of the rest what that says, and where."""

from __future__ import annotations

import json

import pytest

from loadproof.jsontext.read import Constant, Flaw, Pairs, decode, no_constant, text_of, unique

REFUSED = ["", "{", "[1,]", '{"a": 1} x', "\ufeff{}", "{'a': 1}", '{"a": tru}', '"\t"', "[" * 100_000, "1" * 5_000]


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_json_refuses_is_a_flaw_with_its_message(text: str) -> None:
    with pytest.raises((ValueError, RecursionError)) as theirs:
        json.loads(text)
    with pytest.raises(Flaw) as ours:
        decode(text, integers=int)
    assert ours.value.particular == str(theirs.value)


def test_a_flaw_is_placed_by_byte() -> None:
    with pytest.raises(Flaw) as flaw:
        decode('{"é": x}')
    assert (flaw.value.kind, flaw.value.offset) == ("json", 7)
    with pytest.raises(Flaw) as flaw:
        text_of(b'{"\xff"}')
    assert (flaw.value.kind, flaw.value.offset) == ("utf-8", 2)


def test_keys_given_twice_and_constants_are_kept() -> None:
    found = decode('{"a": 1, "b": [NaN], "a": {"c": -Infinity}}')
    assert isinstance(found, Pairs)
    assert found.twice() == ["a"]
    assert sorted(found.constants()) == ["-Infinity", "NaN"]
    assert isinstance(dict(found)["b"][0], Constant)


def test_a_reader_may_refuse_them() -> None:
    with pytest.raises(Flaw, match="gives the key 'a' twice"):
        decode('{"b": {"a": 1, "a": 2}}', objects=unique)
    with pytest.raises(Flaw, match="holds NaN, which is not JSON"):
        decode('{"b": [NaN]}', constants=no_constant)
    assert decode('{"b": {"a": 1}}', objects=unique) == {"b": {"a": 1}}
