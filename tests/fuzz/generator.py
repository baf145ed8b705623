"""Well-formed statements made up at random, so that most inputs reach deep into the evaluator instead of ending in its parser.

Names are few, so that what one statement stores the next one uses; whatever may fail stands in a `try` half of the time,
so that a program goes on after Python's own errors; loops and calls repeat what stands in them.
"""

from __future__ import annotations

import random
from collections.abc import Callable


def _several(text: str, separator: str = "; ") -> list[str]:
    return text.replace("\n", " ").split(separator)


NAMES = ("x", "y", "z", "f", "C")
_ATOMS = _several("""0; 1; -1; 7; 2.5; True; None; ''; 'ab'; 'a{}b'; b'a'; []; {}; (); [1, 2, 3]; {'a': 1}; {1, 2}; range(5);
self; config; torch; nn; nn.Module; torch.float32; type(self); object; Exception('a'); ...; 10**30;
1 << 40; '9' * 50; [0] * 300; float('nan'); slice(1, 3); config.hidden_size; EvilConfig; 1j""")
_CALLS = _several(
    """len list tuple set dict str repr int float bool sorted sum max min abs hash iter next reversed enumerate
zip any all type callable id hex round divmod chr ord bytes frozenset isinstance issubclass getattr hasattr
setattr map filter pow range property super copy.deepcopy math.sqrt math.prod itertools.chain
itertools.product functools.partial functools.reduce re.match re.sub collections.OrderedDict
collections.Counter torch.zeros torch.arange torch.cat nn.Linear nn.ModuleList nn.Parameter nn.Sequential
nn.Embedding self.register_buffer self.add_module format vars""",
    " ",
)
_METHODS = _several(
    """append extend pop get items keys values update join split format replace upper strip startswith count index
insert setdefault copy add union encode zfill center bit_length sort __init__ __class__ __len__ __iter__
view reshape shape size named_modules to_dict real sort translate format_map __eq__ weight data T""",
    " ",
)
_BINARY = _several("+; -; *; //; /; %; **; <<; >>; &; |; ^; @; ==; <; is; in; not in; and; or; !=")
_DUNDERS = _several("""__getattr__(self, n); __eq__(self, o); __hash__(self); __len__(self); __iter__(self);
__call__(self, *a, **k); __getitem__(self, i); __repr__(self); __str__(self); __bool__(self);
__contains__(self, o); __set_name__(self, o, n); __init_subclass__(cls, **k); __class_getitem__(cls, i);
__get__(self, i, o); __setattr__(self, n, v); __add__(self, o); __format__(self, s); __index__(self);
__new__(cls, *a); __enter__(self); __getattribute__(self, n); __missing__(self, k)""")
_SMALL = _several("""assert {1}; del {0}; raise ValueError({1}); raise {1}; del {0}[{1}]; self.w = nn.Linear({1}, 3); global x;
self.p = nn.Parameter(torch.zeros({1})); pass; import math, copy, re""")
_TARGETS = _several("x; y; z; x; y; z; x, y; *x, y; x[0]; y['a']; self.x; config.x; x[:]; x.a; x = y")
_SPECS = ("", ":>9", ":>{y}", "!r", ":x", ":,", ":%", ":>1000000000", ":{x}.{y}f", "!s:^5")


class Generator:
    """Statements as lines, nested at most `depth` deep."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def body(self, count: int, depth: int = 2) -> list[str]:
        return [line for _ in range(count) for line in self.statement(depth)]

    # ---- expressions
    def expression(self, depth: int = 2) -> str:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.25:
            return rng.choice(NAMES) if rng.random() < 0.6 else rng.choice(_ATOMS)
        return self._refused(depth - 1) if rng.random() < 0.003 else rng.choice(_EXPRESSIONS)(self, depth - 1)

    def _call(self, depth: int) -> str:
        function = self.rng.choice(_CALLS) if self.rng.random() < 0.7 else self.expression(depth)
        return f"{function}({self._arguments(depth)})"

    def _arguments(self, depth: int) -> str:
        rng = self.rng
        shapes = (
            "{}",
            "{}",
            "{}, {}",
            "{}, {}",
            "",
            "*{}",
            "**{}",
            "{}, key={}",
            "{}, 'a'",
            "{}, {}, {}",
            "lambda *a: {}, {}",
        )
        return rng.choice(shapes).format(*(self.expression(depth) for _ in range(3)))

    def _method(self, depth: int) -> str:
        owner = self.expression(depth)
        called = f"({self._arguments(depth)})" if self.rng.random() < 0.8 else ""
        return f"({owner}).{self.rng.choice(_METHODS)}{called}"

    def _binary(self, depth: int) -> str:
        return f"({self.expression(depth)} {self.rng.choice(_BINARY)} {self.expression(depth)})"

    def _unary(self, depth: int) -> str:
        return f"({self.rng.choice(('not ', '-', '~', '+'))}{self.expression(depth)})"

    def _comprehension(self, depth: int) -> str:
        opened, closed = self.rng.choice(("[]", "()", "{}"))
        test = f" if {self.expression(depth)}" if self.rng.random() < 0.3 else ""
        second = f" for y in {self.expression(depth)}" if self.rng.random() < 0.3 else ""
        source = self.expression(depth) if self.rng.random() < 0.5 else "range(6)"
        return f"{opened}{self.expression(depth)} for x in {source}{second}{test}{closed}"

    def _container(self, depth: int) -> str:
        a, b = self.expression(depth), self.expression(depth)
        shapes = (
            f"[{a}, {b}]",
            f"({a}, {b})",
            f"{{{a}: {b}}}",
            f"{{{a}, {b}}}",
            f"[*{a}, {b}]",
            f"{{**{a}, 'k': {b}}}",
        )
        return self.rng.choice(shapes)

    def _subscript(self, depth: int) -> str:
        index = self.rng.choice(("{}", "{}:", ":{}", "::{}", "{}:{}", "{}, {}", "-1", "...")).format(
            self.expression(depth), self.expression(depth)
        )
        return f"({self.expression(depth)})[{index}]"

    def _refused(self, depth: int) -> str:
        """What the evaluator stops at, wherever it stands: seldom, as nothing behind it is looked at."""
        a = self.expression(depth)
        shapes = (
            "type('N', ({},), {{}})",
            "'{{0.a}}'.format({})",
            "({}).__reduce__",
            "({}).__globals__",
            "({}).__dict__",
            "({}).__mro__",
        )
        return self.rng.choice(shapes).format(a)

    def _other(self, depth: int) -> str:
        a, b = self.expression(depth), self.expression(depth)
        quoted = f'f"{{({self.rng.choice(NAMES)}){self.rng.choice(_SPECS)}}}"'
        shapes = (
            f"(lambda *a, **k: {a})", f"({a} if {b} else {a})", f"(x := {a})", quoted, f"('%s %5d' % {a})", f"({a} < {b} < {a})",
            f"getattr({a}, '{self.rng.choice(_METHODS)}')", f"'{{:>5}}{{}}'.format({a}, {b})", f"type({a})",
        )  # fmt: skip
        return self.rng.choice(shapes)

    # ---- statements
    def statement(self, depth: int) -> list[str]:
        simple = depth <= 0 or self.rng.random() < 0.45
        kinds = _SIMPLE if simple else _COMPOUND if self.rng.random() < 0.98 else _NOT_IN_SUBSET
        lines: list[str] = self.rng.choice(kinds)(self, depth)
        return ["try:", *_inner(lines), "except Exception as e:", "    y = e"] if self.rng.random() < 0.85 else lines

    def _assignment(self, _: int) -> list[str]:
        if self.rng.random() < 0.25:
            target, operator = (
                self.rng.choice(("x", "y", "z", "x[0]", "self.x")),
                self.rng.choice(("+=", "*=", "-=", "|=")),
            )
            return [f"{target} {operator} {self.expression(3)}"]
        return [f"{self.rng.choice(_TARGETS)} = {self.expression(3)}"]

    def _expression_line(self, _: int) -> list[str]:
        return [self.expression(3)]

    def _small(self, _: int) -> list[str]:
        return [self.rng.choice(_SMALL).format(self.rng.choice(NAMES), self.expression(2))]

    def _for(self, depth: int) -> list[str]:
        source = self.expression(2) if self.rng.random() < 0.4 else f"range({self.rng.choice((3, 6, 20))})"
        ends = ("break", "continue", "pass", "x = x + x if x else 1")
        return [
            f"for z in {source}:",
            *_inner(self.body(self.rng.randrange(1, 4), depth - 1)),
            f"    {self.rng.choice(ends)}",
        ]

    def _while(self, depth: int) -> list[str]:
        return [
            f"while {self.expression(2)}:",
            *_inner(self.body(2, depth - 1)),
            *_inner(["break"] * (self.rng.random() < 0.7)),
        ]

    def _if(self, depth: int) -> list[str]:
        inner = self.body(1, depth - 1)
        return [f"if {self.expression(2)}:", *_inner(inner), "else:", *_inner(self.body(1, depth - 1))]

    def _function(self, depth: int) -> list[str]:
        header = self.rng.choice(("a=1, *b, **c", "a, b=2, /, c=3, *, d=4", "*a", "x", "x, y=0"))
        end = self.rng.choice(
            (f"return {self.expression(2)}", f"yield {self.expression(2)}", "return f(x)", "nonlocal x")
        )
        decorator = [
            f"@{self.rng.choice(('property', 'staticmethod', 'functools.wraps', 'f', 'C', 'functools.lru_cache'))}"
        ]
        decorators = decorator * (self.rng.random() < 0.2)
        call = [f"x = f({self._arguments(1)})"]
        return [*decorators, f"def f({header}):", *_inner([*self.body(2, depth - 1), end]), *call]

    def _class(self, depth: int) -> list[str]:
        bases = self.rng.choice(
            ("", "(nn.Module)", "(dict)", "(list)", "(int)", "(str)", "(C)", "(Exception)", "(tuple)")
        )
        lines = ["__slots__ = ('a',)"] * (self.rng.random() < 0.1) + [f"a = {self.expression(2)}"]
        for _ in range(self.rng.randrange(3)):
            lines += [
                f"def {self.rng.choice(_DUNDERS)}:",
                *_inner([*self.body(1, depth - 1), f"return {self.expression(2)}"]),
            ]
        return [f"class C{bases}:", *_inner(lines), f"x = C({self._arguments(1)})"]

    def _try(self, depth: int) -> list[str]:
        caught = self.rng.choice(("Exception", "(TypeError, KeyError)", "ValueError", self.rng.choice(NAMES)))
        final = ["finally:", *_inner(self.body(1, depth - 1))] * (self.rng.random() < 0.4)
        return [
            "try:",
            *_inner(self.body(2, depth - 1)),
            f"except {caught} as y:",
            *_inner(self.body(1, depth - 1)),
            *final,
        ]

    def _with(self, depth: int) -> list[str]:
        manager = self.rng.choice(("torch.no_grad()", self.expression(1)))
        return [f"with {manager} as x:", *_inner(self.body(1, depth - 1))]

    def _match(self, depth: int) -> list[str]:
        pattern = self.rng.choice(("C(a=x)", "[x, *y]", "{'a': x, **y}", "1 | 2", "str() as x", "_"))
        return [f"match {self.expression(1)}:", f"    case {pattern}:", *_inner(_inner(self.body(1, depth - 1)))]

    def _asynchronous(self, depth: int) -> list[str]:
        return ["async def f(x):", *_inner([*self.body(1, depth - 1), f"await {self.expression(1)}"]), "x = f(1)"]


def _inner(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


_EXPRESSIONS: tuple[Callable[[Generator, int], str], ...] = (
    Generator._call, Generator._call, Generator._method, Generator._method, Generator._binary, Generator._binary, Generator._unary,
    Generator._comprehension, Generator._container, Generator._subscript, Generator._other,
)  # fmt: skip
_SIMPLE: tuple[Callable[[Generator, int], list[str]], ...] = (
    Generator._assignment, Generator._assignment, Generator._assignment, Generator._expression_line, Generator._small,
)  # fmt: skip
_COMPOUND: tuple[Callable[[Generator, int], list[str]], ...] = (
    *[Generator._for] * 4, *[Generator._function] * 3, *[Generator._class] * 3, Generator._while, Generator._if, Generator._try,
    Generator._with,
)  # fmt: skip
_NOT_IN_SUBSET: tuple[Callable[[Generator, int], list[str]], ...] = (Generator._match, Generator._asynchronous)
