"""A name that holds none of a pattern's needles is matched by none of them: the short cut loses no match."""

from __future__ import annotations

import re

import pytest

from loadproof.readers.transformers.needles import needles

PATTERNS = {
    r"layers\.(\d+)\.(mixer|attn_alpha|mlp_alpha)(?=\.|$)": ("layers.",),
    r"(?P<g0>\.gamma$)|(?P<g1>weight_v)": (".gamma", "weight_v"),
    r"^(?P<g0>model)\.": ("model",),
    r"experts\.(\d+)\.w[123]": ("experts.",),
    r"(?:ab)+": ("ab",),
    r"a?b*": None,
    r"(?:x{0,3}|abc)": None,
    r"(?i)abc": None,
    r"(?i:abc)d?": None,
    r"(?!foo)": None,
    "": None,
}
NAMES = (
    "model.layers.0.mixer.weight", "layers.11.mlp_alpha", "a.gamma", "x.weight_v", "experts.3.w2", "abab", "ABC", "foo", "",
)  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_needles_are_the_text_that_must_stand_there(pattern: str) -> None:
    assert needles(pattern) == PATTERNS[pattern]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("name", NAMES)
def test_a_match_holds_a_needle(pattern: str, name: str) -> None:
    found = needles(pattern)
    if re.search(pattern, name) and found is not None:
        assert any(needle in name for needle in found)
