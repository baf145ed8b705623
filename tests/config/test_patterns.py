"""Which regular expressions may take exponential time."""

from __future__ import annotations

import pytest

from loadproof.config.patterns import check_pattern, check_patterns, may_explode


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(.*)*x", "^(([a-z.0-9])+.)+[A-Z]([a-z])+$", "(?:a*)+", "((ab){2,})*", "(a|b+)+", "(.*)*(.*)*x"],
)
def test_a_repeat_of_a_repeat_is_refused(pattern: str) -> None:
    assert may_explode(pattern)


@pytest.mark.parametrize(
    "pattern",
    [
        ".*lm_head",
        r"model\.layers\.\d+\.mlp\.gate$",
        ".*(q|k|v)_proj.*",
        "visual.*",
        r"(?!.*visual).*self_attn.*",
        r".*\(a+\)+",
        "[(a+)+]*",
        "(ab)+c*",
        "(a{2}b)+",
    ],
)
def test_ordinary_patterns_pass(pattern: str) -> None:
    assert not may_explode(pattern)


def test_only_marked_strings_of_a_quantization_config_are_patterns() -> None:
    config = {"ignore": ["lm_head", "(a+)+"], "config_groups": {"group_0": {"targets": ["re:(a+)+"]}}}
    assert [problem.detail for problem in check_patterns(config, "config.json", "quantization_config")] == [
        "exponential"
    ]


def test_a_very_long_pattern_is_refused_by_its_length() -> None:
    assert [problem.detail for problem in check_pattern("a" * 1001, "config.json", "ignore")] == ["length"]
