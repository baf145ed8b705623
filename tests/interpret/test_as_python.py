"""What evaluated text gives is what Python gives for the same text: data classes, enumerations, contexts, patterns."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from loadproof.interpret.language.errors import LimitReached
from tests.interpret.sources import evaluate

SAID = "def said(make):\n    try:\n        make()\n    except Exception as problem:\n        return str(problem)\n"
PAIR = "from dataclasses import dataclass, field\n@dataclass\nclass Pair:\n    a: int\n    b: int = 2\n" + SAID
PROGRAMS = {
    "an argument that a data class does not know": PAIR + "result = said(lambda: Pair(1, c=3))",
    "an argument that it lacks": PAIR + "result = said(lambda: Pair())",
    "an argument given twice": PAIR + "result = said(lambda: Pair(1, a=3))",
    "too many arguments": PAIR + "result = said(lambda: Pair(1, 2, 3))",
    "two arguments that it lacks": "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\n    b: int\n"
    + SAID
    + "result = said(P)",
    "a constructor of its own is kept": "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int = 1\n"
    "    def __init__(self, x):\n        self.a = x + 1\nresult = P(4).a",
    "the metadata of a field": "from dataclasses import dataclass, field, fields\n@dataclass\nclass P:\n"
    "    a: int = field(default=1, metadata={'help': 'x'})\nresult = [dict(f.metadata) for f in fields(P)]",
    "as a dictionary": PAIR + "from dataclasses import asdict\n@dataclass\nclass Outer:\n    inner: Pair\n    all: list\n"
    "result = asdict(Outer(Pair(1), [Pair(2, 3)]))",
    "the parameters of a data class": PAIR + "import inspect\nresult = list(inspect.signature(Pair.__init__).parameters)",
    "a member mixed with text": "from enum import Enum\nclass Kind(str, Enum):\n    LORA = 'LORA'\n"
    "x = Kind.LORA\nresult = (str(x), f'{x}', x.value, x.name, x == 'LORA', {x: 1}['LORA'], repr(x), f'{x:>12}')",
    "the members by name": "from enum import Enum\nclass Kind(str, Enum):\n    A = 'a'\n    B = 'b'\n"
    "result = ('A' in Kind.__members__, list(Kind.__members__))",
    "a dotted attribute": "from operator import attrgetter\nclass A:\n    pass\na = A()\na.b = A()\na.b.c = 3\n"
    "result = attrgetter('b.c')(a)",
    "a replacement, counted": "import re\nresult = re.subn('a+', 'b', 'caat aa')",
    "a null context hands on its value": "from contextlib import nullcontext\nwith nullcontext(4) as found:\n    result = found",
    "an attribute of a function": "def f():\n    return 1\nf.kept = 3\nresult = (f.kept, hasattr(f, 'lost'))",
    "a development release": "from packaging.version import parse\nresult = (parse('5.1.0.dev0').dev, parse('5.1.0').dev)",
}  # fmt: skip


def by_python(text: str) -> Any:
    module = ModuleType("program")
    exec(text, module.__dict__)
    return module.__dict__["result"]


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_the_same_as_python(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "program", ModuleType("program"))  # where a data class looks for its names
    assert evaluate(tmp_path, text) == by_python(text)


def test_a_pattern_whose_repeats_multiply_is_refused_on_a_long_text(tmp_path: Path) -> None:
    head = "import re\npattern = '.*' * 6 + 'x'\n"
    with pytest.raises(LimitReached, match="6 repeats"):
        evaluate(tmp_path, head + "result = re.match(pattern, 'a' * 200)")
    assert evaluate(tmp_path, head + "result = re.match(pattern, 'a' * 6)") is None


def test_what_is_modelled_is_no_instance_of_a_class_that_is_not(tmp_path: Path) -> None:
    assert evaluate(tmp_path, "import os\nresult = isinstance('a', os.PathLike)") is False
