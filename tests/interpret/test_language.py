"""The evaluator means what Python means."""

from __future__ import annotations

import warnings
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from loadproof.interpret.language.errors import LimitReached, NotUnderstood
from tests.interpret.sources import evaluate, evaluate_released

PROGRAMS = {
    "arithmetic": "result = (7 // 2, 7 % 3, 2**10, -5 // 2, 1 << 4, 6 & 3, 6 | 1, 6 ^ 3, ~5, 7 / 2)",
    "comparison": "result = (1 < 2 < 3, 3 > 2 > 2, 1 in [1], 'a' not in 'abc', None is None)",
    "boolean": "result = (0 or 'x', 1 and 2, not [], [] or {} or 0)",
    "conditional": "result = 'a' if [] else 'b'",
    "f-strings": "n = 3\nresult = f'{n:>4}|{n!r}|{n * 2:03d}|{1.5:.2f}'",
    "slices": "x = list(range(10))\nresult = (x[2:8:2], x[::-1], x[-3:])",
    "unpacking": "a, *b, (c, d) = [1, 2, 3, (4, 5)]\nresult = (a, b, c, d)",
    "displays": "a = [1, 2]\nb = {'x': 1}\nresult = ([*a, 3], {**b, 'y': 2}, {*a}, (*a, *a))",
    "comprehensions": "result = ([i * j for i in range(3) for j in range(i) if i != j], {k: v for k, v in zip('ab', 'cd')})",
    "generator": "result = sum(i * i for i in range(5))",
    "lazy generators": """
        def items():
            seen.append(1)
            yield 2
        seen = []
        late = items()
        lazy = (n for n in late)
        before = len(seen)
        result = (before, list(lazy), len(seen))
    """,
    "what a generator yields before it fails": """
        def items():
            yield 1
            raise ValueError
        got = []
        try:
            for n in items():
                got.append(n)
        except ValueError:
            got.append('failed')
        result = got
    """,
    "a name that is read before it is bound": """
        def f():
            try:
                return y
            except UnboundLocalError as problem:
                return str(problem)
            y = 1
        y = 2
        result = f()
    """,
    "walrus": "result = [y for x in range(4) if (y := x * 2) > 2] + [y]",
    "lambda": "f = lambda a, *b, c=2, **d: (a, b, c, d)\nresult = f(1, 5, c=3, e=4)",
    "defaults": "def f(a, b=2, *, c=3): return a, b, c\nresult = (f(1), f(1, 5), f(b=1, a=2, c=4))",
    "closure": """
        def outer(n):
            def inner():
                nonlocal n
                n += 1
                return n
            inner()
            return inner() * 10 + n
        result = outer(1)
    """,
    "global": """
        count = 0
        def bump():
            global count
            count += 5
        result = (bump(), bump(), count)
    """,
    "loops": """
        def f():
            out = []
            for i in range(10):
                if i == 3:
                    continue
                if i == 6:
                    break
                out.append(i)
            else:
                out.append('else')
            n = 5
            while n:
                n -= 1
                if n == 2:
                    break
            else:
                out.append('never')
            for _ in []:
                pass
            else:
                out.append('done')
            return out, n
        result = f()
    """,
    "try": """
        def f(x):
            log = []
            try:
                log.append(10 // x)
            except ZeroDivisionError as problem:
                log.append(type(problem).__name__)
            else:
                log.append('else')
            finally:
                log.append('finally')
            return log
        result = (f(2), f(0))
    """,
    "re-raise": """
        def f():
            try:
                try:
                    {}['a']
                except KeyError:
                    raise
            except LookupError:
                return 'caught'
        result = f()
    """,
    "yield": """
        def pairs(n):
            for i in range(n):
                yield i
            yield from 'ab'
        result = list(pairs(2))
    """,
    "classes": """
        class Base:
            size = 3
            def __init__(self, n=1):
                self.n = n
            @property
            def double(self):
                return self.n * 2
            @double.setter
            def double(self, value):
                self.n = value // 2
            @classmethod
            def make(cls, n):
                return cls(n)
            @staticmethod
            def plus(a, b):
                return a + b
        class Child(Base):
            size = Base.size + 1
            def __init__(self, n):
                super().__init__(n + 1)
            def __getitem__(self, i):
                return i * self.n
            def __len__(self):
                return 7
        c = Child.make(4)
        c.double = 20
        result = (c.n, c.double, c[3], len(c), Child.size, Child.plus(1, 2), isinstance(c, Base), type(c).__name__)
    """,
    "dataclass": """
        from dataclasses import dataclass, field
        @dataclass
        class Point:
            x: int
            y: int = 2
            tags: list = field(default_factory=list)
            def __post_init__(self):
                self.total = self.x + self.y
        p = Point(1)
        q = Point(3, y=4)
        p.tags.append('a')
        result = (p.total, q.total, p.tags, q.tags)
    """,
    "enum": """
        from enum import Enum
        class Colour(Enum):
            RED = 'red'
            BLUE = 'blue'
        result = (Colour('red').name, Colour.BLUE.value, [c.value for c in Colour], Colour.RED == Colour.RED)
    """,
    "dictionary subclass": """
        class Table(dict):
            def __missing__(self, key):
                return key * 2
        t = Table(a=1)
        result = (t['a'], t['b'], t.get('b'), list(t.items()))
    """,
    "standard library": """
        import copy
        import functools
        import itertools
        import math
        from collections import OrderedDict, defaultdict, namedtuple
        d = defaultdict(list)
        d['a'].append(1)
        Pair = namedtuple('Pair', 'left right')
        x = {'a': [1, 2]}
        y = copy.deepcopy(x)
        y['a'].append(3)
        result = (
            math.ceil(2.1), functools.reduce(lambda a, b: a * b, [2, 3]), list(itertools.chain([1], [2])), dict(d),
            list(OrderedDict(b=1, a=2)), Pair(1, 2).right, x, y, list(itertools.accumulate([1, 2, 3])),
        )
    """,
    "regular expressions": r"""
        import re
        m = re.search(r'layers\.(\d+)\.(?P<rest>\w+)', 'model.layers.12.mlp')
        result = (m.group(1), m.group('rest'), re.sub(r'\d+', '#', 'a1b22'), re.split('[,;]', 'a,b;c'), re.findall('[ab]', 'abc'))
    """,
    "text": "result = ('{} {name:>5}'.format(1, name='x'), '%s-%03d' % ('a', 7), 'a,b'.split(','), '-'.join(['a', 'b']))",
    "methods of data": """
        x = [3, 1, 2]
        x.sort(reverse=True)
        s = {1, 2} | {3}
        d = {'a': 1}
        d.update(b=2)
        result = (x, sorted(s), d.pop('a'), d.setdefault('c', 3), d, 'Ab'.lower(), (1, 2, 1).count(1))
    """,
    "del": "d = {'a': 1, 'b': 2}\ndef f():\n    del d['a']\n    return d\nresult = f()",
    "mutated after its definition": "names = {'a': 1}\nnames.update({'b': 2})\nnames['c'] = 3\nresult = names",
}


@pytest.mark.parametrize("program", [dedent(p) for p in PROGRAMS.values()], ids=PROGRAMS)
def test_a_program_gives_what_python_gives(program: str, tmp_path: Path) -> None:
    space: dict[str, Any] = {}
    exec(program, space)
    assert evaluate(tmp_path, program) == space["result"]


def test_a_branch_on_something_unknown_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotUnderstood, match="decides something"):
        evaluate(tmp_path, "import unheard_of\nresult = 1 if unheard_of.flag else 2")


@pytest.mark.parametrize(
    "use", ["len(x)", "list(x)", "x < 3", "range(x)", "f'{x}'", "int(x)", "not x", "3 in x", "[1][x]"]
)
def test_something_unknown_never_becomes_data(use: str, tmp_path: Path) -> None:
    with pytest.raises(NotUnderstood):
        evaluate(tmp_path, f"import unheard_of\nx = unheard_of.value\nresult = {use}")


def test_evaluated_code_cannot_catch_what_the_evaluator_does_not_know(tmp_path: Path) -> None:
    text = """
        import unheard_of
        def f():
            try:
                return 1 if unheard_of.flag else 2
            except Exception:
                return 3
            finally:
                pass
        result = f()
    """
    with pytest.raises(NotUnderstood):
        evaluate(tmp_path, text)


def test_an_unknown_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotUnderstood, match="name 'nowhere' is not defined"):
        evaluate_released(tmp_path, "result = nowhere")
    with pytest.raises(NameError, match="name 'nowhere' is not defined"):
        evaluate(tmp_path, "result = nowhere")


def test_a_broken_class_attribute_hurts_only_when_it_is_used(tmp_path: Path) -> None:
    text = (
        "import unheard_of\nclass A:\n    bad = 1 if unheard_of.x else 2\n    good = 5\nresult = A.good\nworse = A.bad"
    )
    assert evaluate_released(tmp_path, text) == 5
    with pytest.raises(NotUnderstood):
        evaluate_released(tmp_path, text, "worse")


def test_unsupported_syntax_raises_when_it_is_reached(tmp_path: Path) -> None:
    text = "def f(x):\n    if x:\n        match x:\n            case 1: return 2\n    return 3\nresult = f(0)\nreached = f(1)"
    assert evaluate_released(tmp_path, text) == 3
    with pytest.raises(NotUnderstood, match="Match"):
        evaluate_released(tmp_path, text, "reached")


def test_the_compilers_remarks_about_a_text_that_is_read_are_nobodys_business(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate(tmp_path, "result = '\\.'") == r"\."


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("%(a(b))5d", {"a(b)": 1}),
        ("%%%s%%", "x"),
        ("100%% of %5.2f", 1.5),
        ("%(%5d)s", {"%5d": 2}),
        ("%-5s|%+d", ("a", 3)),
        ("%(a)s (%(b)s)", {"a": 1, "b": 2}),
    ],
)
def test_text_is_formatted_as_python_does(text: str, values: Any, tmp_path: Path) -> None:
    assert evaluate(tmp_path, f"result = {text!r} % {values!r}") == text % values


@pytest.mark.parametrize(
    "text", ["%(a(b))999999999d", "%((a))s%(b)9999999d", "%%%99999d", "%(a)*d", "%5.99999f", "%(a(b)9999999d"]
)
def test_a_width_behind_any_key_is_bounded(text: str, tmp_path: Path) -> None:
    with pytest.raises((LimitReached, ValueError)) as caught:
        evaluate(tmp_path, f"result = {text!r} % {{'a(b)': 1, 'a': 1, 'b': 1, '(a)': 1}}")
    assert isinstance(caught.value, LimitReached) or "incomplete format key" in str(caught.value)


def test_methods_of_a_long_text_are_counted(tmp_path: Path) -> None:
    for call in ("x.upper()", "x.split('a')", "x.encode()", "str.lower(x)", "x.strip()"):
        with pytest.raises(LimitReached):
            evaluate(tmp_path, f"x = 'ab' * 200000\nresult = [{call} for _ in range(60)]")


@pytest.mark.parametrize("base", ["Sequence", "Sequence[int]", "collections.abc.Mapping"])
def test_an_abstract_class_may_be_extended(base: str, tmp_path: Path) -> None:
    text = f"""
        import collections
        from collections.abc import Sequence
        class View({base}):
            def __getitem__(self, key):
                if key > 2:
                    raise IndexError(key)
                return key
            def __len__(self):
                return 3
            def __iter__(self):
                return iter([0, 1, 2])
        result = list(View()), len(View())
    """
    assert evaluate(tmp_path, text) == ([0, 1, 2], 3)
