"""A deferred constructor runs once, before anything sees the object."""

from __future__ import annotations

from typing import Any

import pytest

from loadproof.interpret.language.objects import SourceObject
from loadproof.interpret.release.deferred import defer


def make() -> tuple[Any, Any, list[str]]:
    built: list[str] = []

    class Rule(SourceObject):
        kind = "rule"

        def __init__(self, source: str) -> None:
            built.append(source)
            if not source:
                raise ValueError("no source")
            self.source = [source]
            self.scope = None

        def __setattr__(self, name: str, value: Any) -> None:
            if name == "source" and "source" in self.__dict__:
                raise ValueError("cannot be set again")
            object.__setattr__(self, name, value)

        def shown(self) -> str:
            return f"{self.source} {self.scope}"

    class Converter(Rule):
        def __init__(self, source: str, operations: list[str]) -> None:
            super().__init__(source)
            self.operations = [*operations, self.source[0]]

    defer(Rule)
    defer(Converter)
    return Rule, Converter, built


def test_nothing_is_built_until_somebody_looks() -> None:
    rule, converter, built = make()
    rules = [rule("a"), rule(source="b"), converter("c", operations=["x"])]
    assert isinstance(rules[2], rule)
    assert built == []
    assert rules[1].source == ["b"]
    assert built == ["b"]


def test_a_constructor_runs_once_and_calls_the_one_of_its_base() -> None:
    _, converter, built = make()
    made = converter("c", ["x"])
    assert (made.operations, made.source, made.scope) == (["x", "c"], ["c"], None)
    assert built == ["c"]


def test_what_is_written_first_is_not_overwritten_by_the_constructor() -> None:
    rule, _, _ = make()
    made = rule("a")
    made.scope = "vision"
    assert made.shown() == "['a'] vision"
    with pytest.raises(ValueError, match="cannot be set again"):
        made.source = ["b"]


def test_class_attributes_and_the_dictionary_show_a_built_object() -> None:
    rule, _, built = make()
    assert vars(rule("a")) == {"source": ["a"], "scope": None}
    assert rule("b").kind == "rule"
    assert built == ["a", "b"]


def test_the_exception_of_a_constructor_comes_at_the_first_look_only() -> None:
    rule, _, _ = make()
    made = rule("")
    with pytest.raises(ValueError, match="no source"):
        made.shown()
    with pytest.raises(AttributeError):
        made.shown()
