"""What a constructor asks about machine and packages is answered the same everywhere, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loadproof.interpret.language.errors import ForbiddenAttribute, UnknownUsed
from tests.interpret.sources import evaluate


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("import os\nresult = os.environ.get('RANK', default='0')", "0"),
        ("import os\nresult = os.getenv('RANK', '1')", "1"),
        ("import os\nos.environ['RANK'] = '3'\nresult = 'RANK' in os.environ", False),
        ("import os\nresult = eval(os.environ.get('debug', 'False'))", False),
        ("result = __file__", "program.py"),
        ("import sys\nresult = sys.version_info >= (3, 8) and sys.version_info.minor", 11),
        ("import torch\nresult = torch.cuda.is_available() or torch.cuda.device_count()", 0),
        ("import torch\nresult = torch.distributed.is_initialized()", False),
        ("from argparse import Namespace\nresult = Namespace(**{'width': 3}).width", 3),
        ("from packaging import version\nimport torch\nresult = version.parse(torch.__version__) >= version.parse('2.0')", True),
        ("from packaging.version import parse\nresult = parse('2.1.0.dev0') < parse('2.1')", True),
        ("from packaging.version import Version\nresult = Version('4.46.3+cu12').release[:2]", (4, 46)),
        ("import importlib.util\nresult = importlib.util.find_spec('flash_attn') is None", True),
        ("import importlib.util\nresult = importlib.util.find_spec('einops') is None", False),
    ],
)  # fmt: skip
def test_answers(text: str, value: Any, tmp_path: Path) -> None:
    assert evaluate(tmp_path, text) == value


def test_the_machine_itself_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")
    assert evaluate(tmp_path, "import os\nresult = os.environ.get('SECRET')") is None


def test_eval_is_a_look_up_of_three_words(tmp_path: Path) -> None:
    for text in ("1", " True", "()", "print"):
        with pytest.raises(ForbiddenAttribute):
            evaluate(tmp_path, f"result = eval({text!r})")


def test_private_names_are_those_of_the_class(tmp_path: Path) -> None:
    text = """
        class Store:
            __count = 2

            def __init__(self):
                self.__cache = {"a": self.__count}

            def __get(self, key):
                return self.__cache[key]

            def get(self):
                return self.__get("a"), sorted(self.__dict__)

        class Other(Store):
            def get(self):
                return self.__cache

        def lost():
            try:
                return Other().get()
            except AttributeError:
                return "not found"

        result = (Store().get(), lost())
    """
    assert evaluate(tmp_path, text) == ((2, ["_Store__cache"]), "not found")


def test_the_class_of_an_unknown_package_leaves_isinstance_open(tmp_path: Path) -> None:
    head = "import strange\n"
    assert evaluate(tmp_path, head + "result = isinstance(1, (strange.Kind, int))") is True
    with pytest.raises(UnknownUsed):
        evaluate(tmp_path, head + "result = isinstance(1, (strange.Kind, str))")


def test_a_table_that_calls_fill_is_full(tmp_path: Path) -> None:
    text = """
        templates = {}

        def register(name, *, loud=False):
            templates[name] = name.upper() if loud else name

        register("a")
        register("b", loud=True)
        result = templates
    """
    assert evaluate(tmp_path, text, "templates") == {"a": "a", "b": "B"}


def test_the_condition_of_a_definition_is_evaluated(tmp_path: Path) -> None:
    text = """
        import sys

        FAST = 2 > 1
        if sys.version_info < (3, 0):
            size = 1
        elif FAST:
            from math import sqrt as root

            def size():
                return root(9)
        else:
            size = 3

        result = size()
    """
    assert evaluate(tmp_path, text) == 3


def test_a_condition_that_is_not_known_leaves_its_names_open(tmp_path: Path) -> None:
    with pytest.raises(UnknownUsed):
        evaluate(tmp_path, "import strange\nif strange.fast():\n    result = 1\nelse:\n    result = 2\n")
