"""What is said when a constructor fails: the library's own words where it would fail too, `inconclusive` elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loadproof.interpret.language.errors import NotUnderstood
from tests.interpret.sources import evaluate, evaluate_released


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the kind is part of the result
        evaluate(folder, text)
    return f"{type(caught.value).__name__}: {caught.value}"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("A()", "TypeError: A.__init__() missing 2 required positional arguments: 'a' and 'b'"),
        ("A(1)", "TypeError: A.__init__() missing 1 required positional argument: 'b'"),
        ("A(1, 2, 3, 4)", "TypeError: A.__init__() takes from 3 to 4 positional arguments but 5 were given"),
        ("A(1, 2, z=3)", "TypeError: A.__init__() got an unexpected keyword argument 'z'"),
        ("A(1, 2, a=3)", "TypeError: A.__init__() got multiple values for argument 'a'"),
        ("f()", "TypeError: f() missing 1 required keyword-only argument: 'key'"),
        ("f(1)", "TypeError: f() takes 0 positional arguments but 1 was given"),
        ("g()", "TypeError: g() missing 3 required positional arguments: 'x', 'y', and 'z'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_the_words_of_python(tmp_path: Path, call: str, text: str) -> None:
    program = f"""
class A:
    def __init__(self, a, b, c=1): pass
def f(*, key): pass
def g(x, y, z): pass
result = {call}
"""
    assert refusal(tmp_path, program) == text
    with pytest.raises(TypeError) as caught:
        exec(program, {})
    assert f"TypeError: {caught.value}" == text


@pytest.mark.torch
@pytest.mark.parametrize(
    "call",
    [
        "nn.Linear(None, 3)",
        "nn.Linear(3, None)",
        "nn.Embedding(3, 2.5)",
        "torch.zeros(3, None)",
        "torch.empty(None, 3)",
        "torch.ones(3, -2)",
        "torch.empty(6)[:4].__setitem__(slice(0, 2), torch.empty(3))",
    ],
)
def test_shapes_that_cannot_be_are_refused_in_the_words_of_torch(tmp_path: Path, call: str) -> None:
    import torch

    with pytest.raises(Exception) as caught, torch.device("meta"):  # noqa: PT011
        eval(call, {"torch": torch, "nn": torch.nn})
    text = f"import torch\nfrom torch import nn\nresult = {call}"
    assert refusal(tmp_path, text) == f"{type(caught.value).__name__}: {caught.value}"


def test_a_default_that_cannot_be_evaluated_is_not_a_value(tmp_path: Path) -> None:
    text = """
        from dataclasses import dataclass
        import unheard_of

        @dataclass
        class A:
            a: list = [int(x) for x in unheard_of.names]

        result = A()
    """
    with pytest.raises(NotUnderstood, match="class attribute at"):
        evaluate_released(tmp_path, text)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("torch.linspace(0, 1, 3).split([1, 2])[1].tolist()", [0.5, 1.0]),
        ("[x.item() > 0.3 for x in torch.linspace(0, 1, 3)]", [False, True, True]),
        ("(np.cumsum([2, 3, 4]) - 1).tolist()", [1, 4, 8]),
        ("3 in torch.tensor([2, 3]).cumsum(0) + 1", True),
        ("np.argsort([30, 10, 20]).tolist()", [1, 2, 0]),
        ("torch.empty(torch.tensor(3)).shape[0]", 3),
        ("np.prod(7)", 7),
        ("[list(t.shape) for t in torch.tensor([1, 2, 3])[1:].split(1)]", [[1], [1]]),
    ],
)
def test_numbers_of_small_tensors_are_known(tmp_path: Path, expression: str, value: Any) -> None:
    assert evaluate(tmp_path, f"import torch\nimport numpy as np\nresult = {expression}") == value


def test_numbers_that_were_written_over_are_not_known(tmp_path: Path) -> None:
    with pytest.raises(NotUnderstood):
        evaluate(tmp_path, "import torch\nx = torch.tensor([1, 2])\nx[0] = 5\nresult = [1] if x[0] > 2 else []")


@pytest.mark.parametrize("line", ["import timm", "from timm import create as timm_create, timm"])
def test_a_package_that_is_not_read_is_named(tmp_path: Path, line: str) -> None:
    with pytest.raises(NotUnderstood, match="made by the package timm, whose source is not read"):
        evaluate_released(tmp_path, f"if is_timm_available():\n    {line}\nresult = timm.create_model()")
