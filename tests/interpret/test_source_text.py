"""A text is cut where Python's own parser sees statements begin."""

from __future__ import annotations

import ast
import glob
import os
import re
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loadproof
from loadproof.interpret.release.definitions import class_from_chunk
from loadproof.interpret.release.source_text import _TOKEN, _starts, split

TEXT = dedent('''
    """Docstring with code:
    def not_a_function():
        pass
    class NotAClass: pass
    """
    import os  # def nor_this(): pass
    from a import (
        b,
    )
    text = "a # b" + 'c \\' d' + """
    def hidden(): pass
    """

    if os:
        x = 1
    else:
        x = 2

    @decorate(
        "def inside(): pass",
        1,
    )
    @again
    # a comment between
    class Shown(
        Base,
        keyword=1,
    ):
        """class Inner: pass"""

        first: int = 1
        @property
        def size(self):
            return """
    def hidden_too(): pass
    """
        def other(self): pass

    async def run(): pass
    def last(a, b): return a
''')


def starts(body: list[ast.stmt]) -> list[int]:
    shown = [s for s in body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    return [min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", ()))]) for s in shown]


def test_statements_begin_where_the_parser_says() -> None:
    chunks = split(TEXT)
    assert [c.line for c in chunks] == starts(ast.parse(TEXT).body)
    assert [c.defines() for c in chunks if c.defines()] == [("class", "Shown"), ("def", "run"), ("def", "last")]


def test_decorators_are_those_of_the_definition() -> None:
    shown = next(c for c in split(TEXT) if c.defines() == ("class", "Shown"))
    assert shown.decorators()[-1] == "again"


def test_a_long_class_keeps_its_methods_as_text() -> None:
    padding = "\n".join(f"    attribute_{i} = {i}" for i in range(200))
    text = f"@d\nclass Long(Base):\n    '''doc'''\n{padding}\n    @property\n    def size(self):\n        return 1\n"
    source = class_from_chunk(split(text)[0])
    assert source.functions() == {"size"}
    assert source.decorators == ["d"]
    node = next(m for m in source.members if getattr(m, "name", "") == "size").node()
    assert node.lineno == text[: text.index("def size")].count("\n") + 1


FILES = sorted(glob.glob(os.path.join(os.path.dirname(loadproof.__file__), "**", "*.py"), recursive=True))


def test_the_own_sources_are_cut_right() -> None:
    assert len(FILES) > 50
    for path in FILES:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        assert [c.line for c in split(text)] == starts(ast.parse(text).body), path


def token_by_token(text: str, indent: str) -> list[int]:
    """Where lines begin with this indentation and a letter when every string and comment is read."""
    found, at = [], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is not None:
            at = token.end()
            continue
        start = at + 1 + len(indent)
        if text[at:start] == f"\n{indent}" and re.match("[A-Za-z_@]", text[start : start + 1]):
            found.append(start)
        at += 1
    return found


PIECES = st.sampled_from(['"""', "'''", '"', "'", "\\", "\n", "\\\n", "#", "a", "\n    b", "    ", "\n@x"])


@pytest.mark.parametrize("indent", ["", "    "])
@given(pieces=st.lists(PIECES, max_size=25))
def test_the_quick_cut_is_the_cut_of_reading_every_token(indent: str, pieces: list[str]) -> None:
    text = "\n" + "".join(pieces)
    assert _starts(text, indent) == token_by_token(text, indent)
