"""Every bound ends in a text that names it, soon."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from loadproof.interpret.language import limits
from loadproof.interpret.language.errors import LimitReached, NotUnderstood
from tests.interpret.sources import evaluate

HUNGRY = {
    "while": "def f():\n    while True:\n        pass\nresult = f()",
    "range": "result = list(range(10**9))",
    "repeated list": "result = [0] * 10**9",
    "repeated text": "result = 'x' * 10**10",
    "tuple": "result = 10**9 * (1,)",
    "doubling": "def f():\n    x = [1]\n    while True:\n        x = x + x\nresult = f()",
    "doubling in place": "def f():\n    x = [1]\n    while True:\n        x += x\nresult = f()",
    "extend": "def f():\n    x = [1]\n    while True:\n        x.extend(x)\nresult = f()",
    "text doubling": "def f():\n    x = 'ab'\n    while True:\n        x = f'{x}{x}'\nresult = f()",
    "power": "result = 10 ** 10 ** 10",
    "pow": "result = pow(10, 10**9)",
    "shift": "result = 1 << 10**9",
    "growing integer": "def f():\n    x = 3\n    while True:\n        x = x * x\nresult = f()",
    "factorial": "import math\nresult = math.factorial(10**7)",
    "endless iterator": "import itertools\nresult = list(itertools.count())",
    "endless cycle": "import itertools\nresult = list(itertools.cycle([1]))",
    "product": "import itertools\nresult = list(itertools.product(range(1000), repeat=4))",
    "recursion": "def f(n):\n    return f(n + 1)\nresult = f(0)",
    "wide format": "result = f'{1:>1000000000}'",
    "wide percent": "result = '%1000000000d' % 1",
    "wide str.format": "result = '{:>1000000000}'.format(1)",
    "padding": "result = 'x'.ljust(10**9)",
    "replace": "result = ('a' * 1000000).replace('a', 'b' * 1000000)",
    "join": "result = ('x' * 1000000).join(['a'] * 1000000)",
    "shared nesting as text": "def f():\n    x = [1]\n    for _ in range(60):\n        x = [x, x]\n    return str(x)\nresult = f()",
    "shared nesting compared": (
        "def f():\n    x, y = [1], [1]\n    for _ in range(60):\n        x, y = [x, x], [y, y]\n    return x == y\nresult = f()"
    ),
    "sum of lists": "result = sum([[0] * 1000000] * 1000, [])",
    "starred": "x = [0] * 1000000\nresult = [*x, *x, *x]",
    "bytes": "result = bytes(10**10)",
    "many copies": "def f():\n    r = range(1000000)\n    out = []\n    while True:\n        out.append(list(r))\nresult = f()",
    "backtracking": "import re\nresult = re.search('(a+)+$', 'a' * 100 + 'b')",
    "tensor values": "import torch\nresult = torch.zeros(10**6, 10**6).tolist()",
    "tensor iteration": "import torch\nresult = list(torch.zeros(10**9))",
    "modules": (
        "import torch\ndef f():\n    m = torch.nn.ModuleList()\n    while True:\n        m.append(torch.nn.ReLU())\nresult = f()"
    ),
}


@pytest.mark.parametrize("program", HUNGRY.values(), ids=HUNGRY)
def test_a_hungry_program_is_stopped(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STEPS", 300_000)
    began = time.process_time()
    with pytest.raises(LimitReached):
        evaluate(tmp_path, program)
    assert time.process_time() - began < 5


def test_the_text_names_limit_and_line(tmp_path: Path) -> None:
    with pytest.raises(LimitReached, match=r"range\(1000000000\) of 1,000,000,000 elements .* at program.py:3"):
        evaluate(tmp_path, "x = 1\ndef f():\n    return range(10**9)\nresult = f()")


def test_too_many_tensors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TENSORS", 100)
    with pytest.raises(LimitReached, match="100 tensors"):
        evaluate(tmp_path, "import torch\nresult = [torch.nn.Linear(1, 1) for _ in range(99)]")


def test_too_much_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "SECONDS", 0.05)
    with pytest.raises(LimitReached, match="CPU seconds"):
        evaluate(tmp_path, "result = [i for i in range(1000) for j in range(1000)]")


def test_a_large_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadproof.interpret.release.disk.SOURCE_BYTES", 100)
    with pytest.raises(LimitReached, match="bytes"):
        evaluate(tmp_path, "result = 1\n" + "#" * 200)


def test_a_deep_expression_is_no_crash(tmp_path: Path) -> None:
    text = "result = " + "-" * 5_000 + "1"
    with pytest.raises((NotUnderstood, RecursionError, MemoryError, SyntaxError)):
        evaluate(tmp_path, text)
